import { FEW_MATCHES, MAX_MATCHES, type Listing } from './listing-shape.ts';
import { FIRST_LOOK, LONG_LOOK, LONGEST_LOOK, ListReader, type Asked, type Found } from './listing-read.ts';
import { readSearch } from './listing-search.ts';
import { compileCount } from './listing-statement.ts';
import type { Tenant } from './tenant.ts';

/** The most matches that are compared with the rows of an index. */
const MAX_HASHED = 30_000;

/**
 * Reads a page, from an index that has the rows in order if there is one. For other filters, either the matches of the
 * rarest are sorted, or the next rows of the list are looked through, whichever is likely to be less work. So a page
 * reads a bounded number of rows however large the workspace is, and may be short or empty while more follow.
 */
export async function readPage<Row>(list: Listing<Row>, tenant: Tenant, asked: Asked): Promise<Found<Row>> {
  const { sort } = asked;
  const reader = new ListReader(list, tenant, asked);
  const { sieves } = reader;
  const [only] = sieves;
  if (only === undefined) return reader.page();
  if (sieves.length === 1 && list.sieves[only]!.isUnsorted) return readSearch(reader, only);
  if (sieves.length === 1 && list.sieves[only]!.checksId) {
    if (sort === 'id') return reader.page({ matchesOf: only });
    if (list.sieves[only]!.ordered && (await reader.countElsewhere(only, FEW_MATCHES)) <= FEW_MATCHES)
      return reader.page({ orderedBy: only });
    const few = await reader.countMatches(only, FEW_MATCHES);
    if (few.count <= FEW_MATCHES) return reader.page({ matchesOf: only });
    const soon = await lookFirst(reader);
    if (soon) return soon;
    const { count } = await reader.countMatches(only, MAX_HASHED);
    if (count <= MAX_HASHED) {
      const found = await reader.walk(only, LONGEST_LOOK);
      if (found.rows.length > 0 || !found.next || count > MAX_MATCHES) return found;
    }
    if (count <= MAX_MATCHES) return reader.page({ matchesOf: only });
    return (await reader.look(LONGEST_LOOK)) ?? reader.looked;
  }

  const rare = (await reader.findRarest(FEW_MATCHES))!;
  if (rare.count === 0) return { rows: [], next: undefined };
  if (rare.count <= FEW_MATCHES) return reader.page({ matchesOf: rare.name }, rare.more);
  const soon = await lookFirst(reader);
  if (soon) return soon;
  const { count, name, more } = (await reader.findRarest(MAX_MATCHES))!;
  if (count > MAX_MATCHES) return (await reader.look(LONGEST_LOOK)) ?? reader.looked;
  return (sort === 'id' ? undefined : await reader.look(LONG_LOOK)) ?? reader.page({ matchesOf: name }, more);
}

/** The page, if the next rows soon fill it: where the first have some matches, reading on likely beats counting. */
async function lookFirst<Row>(reader: ListReader<Row>): Promise<Found<Row> | undefined> {
  const first = await reader.look(FIRST_LOOK);
  return first ?? (reader.looked.rows.length > 1 ? reader.look(LONG_LOOK) : undefined);
}

export type Count = {
  /** At most MAX_MATCHES; null where finding out would take too long. */
  count: number | null;
  /** Whether there are more than `count`; true where `count` is null. */
  has_more: boolean;
};

/**
 * Counts the rows of a list with these filters, equalities and a search, as far as an index allows it quickly: the
 * first rows of an equality, or those among the first matches of a search.
 */
export async function countRows(
  list: Listing,
  tenant: Tenant,
  filters: Readonly<Record<string, unknown>>,
): Promise<Count> {
  const reader = new ListReader(list, tenant, { filters, sort: 'id', after: undefined, limit: MAX_MATCHES });
  const rarest = await reader.findRarest(MAX_MATCHES);
  const parameters = { ...filters, ...rarest?.more, most: MAX_MATCHES + 1, limit: MAX_MATCHES + 1 };
  const { count } = (await tenant.row(compileCount(list, reader.shape.filters, rarest?.name), parameters))!;
  if (count > MAX_MATCHES) return { count: MAX_MATCHES, has_more: true };
  // A row can have several of the words that were counted, and words beyond the limit are not read.
  const isPart = rarest !== undefined && rarest.count > MAX_MATCHES;
  return { count: isPart ? null : count, has_more: isPart };
}
