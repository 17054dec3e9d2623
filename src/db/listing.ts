import { sql } from 'kysely';
import {
  compileList,
  MAX_MATCHES,
  sievesOf,
  type Listing,
  type Place,
  type Shape,
  type Sieve,
} from './listing-statement.ts';
import { reading, type Statement } from './statement.ts';
import type { Tenant } from './tenant.ts';

export type Asked = {
  /** Filters by name; undefined ones are absent. */
  filters: Readonly<Record<string, unknown>>;
  sort: string;
  after: Place | undefined;
  limit: number;
};

export type Found<Row> = { rows: Row[]; next: Place | undefined };

/** Matches that are sorted at once; with more, the page may be found sooner among the next rows of the list. */
const FEW_MATCHES = 1_000;

/** Rows in the order of the list that are looked through for a page: first a few, then more at once. */
const FIRST_LOOK = 500;
const STEP = 2_500;
const LONG_LOOK = FIRST_LOOK + STEP;
const LONGEST_LOOK = FIRST_LOOK + 4 * STEP;

/**
 * Reads a page. What an index has in the order asked for is read from there. For other filters, either the matches
 * of the rarest are sorted, or the next rows in that order are looked through, whichever is likely to be less work.
 * So a page costs a bounded number of rows however large the workspace is, and may be short, or empty, while more
 * follow.
 */
export async function readPage<Row>(list: Listing<Row>, tenant: Tenant, asked: Asked): Promise<Found<Row>> {
  const { filters, after, limit, sort } = asked;
  const names = Object.keys(filters).filter((name) => filters[name] !== undefined);
  const shape: Shape = { filters: names.toSorted(), sort, goesOn: after !== undefined };
  const parameters = { ...filters, ...placeParameters(after), limit: limit + 1 };
  const run = (statement: Statement<{ tenant: string }, unknown>, more: object = {}) =>
    tenant.rows(statement, { ...parameters, ...more }) as Promise<Placed<Row>[]>;

  const sieves = sievesOf(list, shape);
  if (sieves.length === 0) return pageOf(list, await run(compileList(list, shape)), asked);

  const seen = { count: 0, rows: [] as Placed<Row>[], after };
  /**
   * Goes on through the next rows in order, `upTo` so many in all. In steps: of a long one PostgreSQL may think
   * that reading and sorting everything is cheaper.
   * @returns the page, or, from the longest look, what there is of it; undefined when it takes a longer one
   */
  const look = async (upTo: number): Promise<Found<Row> | undefined> => {
    while (seen.count < upTo) {
      const goesOn = seen.after !== undefined;
      const reach = seen.count === 0 ? FIRST_LOOK : STEP;
      const step = { ...placeParameters(seen.after), reach };
      seen.rows.push(...(await run(compileList(list, { ...shape, goesOn, by: 'looking' }), step)));
      if (seen.rows.length > limit) return pageOf(list, seen.rows, asked);
      const end = compileList(list, { ...shape, goesOn, by: 'end' });
      const [last] = await run(end, { ...step, reach: reach - 1 });
      if (!last) return { rows: seen.rows.map(withoutPlace) as Row[], next: undefined };
      seen.after = placeOf(list, last, sort);
      seen.count += reach;
    }
    if (upTo < LONGEST_LOOK) return undefined;
    return { rows: seen.rows.map(withoutPlace) as Row[], next: seen.after };
  };
  const matches = async (of: string, more?: object) =>
    pageOf(list, await run(compileList(list, { ...shape, by: { matchesOf: of } }), more), asked);
  /** The filter with the fewest matches, counted up to one more than `most`. */
  const rarestOf = async (most: number) => {
    const weights = await Promise.all(
      sieves.map(async (name) => ({ name, ...(await weigh(list, tenant, name, { filters, most })) })),
    );
    return weights.reduce((one, other) => (other.count < one.count ? other : one));
  };

  const [only] = sieves;
  if (sieves.length === 1 && sort === 'id' && list.sieves[only!]!.isById) return matches(only!);
  const isOftenCommon = sieves.every((name) => list.sieves[name]!.isOftenCommon?.(filters));
  const next = isOftenCommon ? await look(FIRST_LOOK) : undefined;
  if (next) return next;
  const rare = await rarestOf(FEW_MATCHES);
  if (rare.count === 0) return { rows: [], next: undefined };
  if (rare.count <= FEW_MATCHES) return matches(rare.name, rare.more);
  const sooner = isOftenCommon ? undefined : await look(FIRST_LOOK);
  if (sooner) return sooner;
  const { count, name, more } = await rarestOf(MAX_MATCHES);
  if (count > MAX_MATCHES) return (await look(LONGEST_LOOK))!;
  return (sort === 'id' ? undefined : await look(LONG_LOOK)) ?? matches(name, more);
}

/** Counts the matches of one filter, up to one more than `most`. */
export async function weigh(
  list: Listing,
  tenant: Tenant,
  name: string,
  { filters, most }: { filters: Readonly<Record<string, unknown>>; most: number },
): Promise<{ count: number; more?: Record<string, unknown> }> {
  const sieve = list.sieves[name]!;
  if (sieve.weigh) return sieve.weigh(tenant, filters, most);
  return (await tenant.row(countOf(list, name, sieve), { [name]: filters[name], most: most + 1 }))!;
}

type Count = Statement<{ tenant: string; most: number }, { count: number }>;

const counts = new Map<string, Count>();

function countOf(list: Listing, name: string, sieve: Sieve): Count {
  const key = `count ${list.title} ${name}`;
  const known = counts.get(key);
  if (known) return known;
  const made: Count = reading(
    key,
    (p) => sql`select count(*)::integer as count from (${sieve.matches(p)} limit ${p.most}) as found`,
  );
  counts.set(key, made);
  return made;
}

type Placed<Row> = Row & { id: string | number; place?: string };

function pageOf<Row>(list: Listing, rows: Placed<Row>[], { limit, sort }: Asked): Found<Row> {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? placeOf(list, shown.at(-1)!, sort) : undefined;
  return { rows: shown.map(withoutPlace) as Row[], next };
}

function placeOf(list: Listing, row: Placed<unknown>, sort: string): Place {
  return list.sorts[sort] ? [row.place!, row.id] : [row.id];
}

function withoutPlace<Row>({ place: _place, ...row }: Placed<Row>) {
  return row;
}

function placeParameters(after: Place | undefined): object {
  if (after === undefined) return {};
  const [id, value] = after.toReversed();
  return { after_id: id, after_value: value ?? null };
}
