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

/** Rows in the order of the list that are looked through for a page: first a few, which often suffice. */
const FIRST_LOOK = 500;
const LONGEST_LOOK = 10_000;

/**
 * Reads a page. What an index has in the order asked for is read from there. Ranges are first tried on the
 * next rows in that order; when those do not fill the page, or for other filters, the matches of the rarest filter are sorted; when
 * there are too many of these, more rows are looked through. So a page costs a bounded number of rows however
 * large the workspace is, and may be short, or empty, while more follow.
 */
export async function readPage<Row>(list: Listing<Row>, tenant: Tenant, asked: Asked): Promise<Found<Row>> {
  const { filters, after, limit } = asked;
  const names = Object.keys(filters).filter((name) => filters[name] !== undefined);
  const shape: Shape = { filters: names.toSorted(), sort: asked.sort, goesOn: after !== undefined };
  const parameters = { ...filters, ...placeParameters(after), limit: limit + 1 };
  const run = (statement: Statement<{ tenant: string }, unknown>, more: object = {}) =>
    tenant.rows(statement, { ...parameters, ...more }) as Promise<Placed<Row>[]>;

  const sieves = sievesOf(list, shape);
  if (sieves.length === 0) return pageOf(list, await run(compileList(list, shape)), asked);

  const look = async (reach: number) => {
    const rows = await run(compileList(list, { ...shape, by: 'looking' }), { reach });
    if (rows.length > limit) return pageOf(list, rows, asked);
    const [last] = await run(compileList(list, { ...shape, by: 'end' }), { reach: reach - 1 });
    if (!last) return { rows: rows.map(withoutPlace), next: undefined };
    return { rows: rows.map(withoutPlace), next: placeOf(list, last, asked.sort), isShort: true };
  };

  if (sieves.every((name) => list.sieves[name]!.range)) {
    const first = await look(FIRST_LOOK);
    if (!('isShort' in first)) return first as Found<Row>;
  }
  const weights = await Promise.all(
    sieves.map(async (name) => ({ name, ...(await weigh(list, tenant, name, filters)) })),
  );
  const rarest = weights.reduce((one, other) => (other.count < one.count ? other : one));
  if (rarest.count === 0) return { rows: [], next: undefined };
  if (rarest.count > MAX_MATCHES) {
    const { rows, next } = await look(LONGEST_LOOK);
    return { rows: rows as Row[], next };
  }
  const by = { matchesOf: rarest.name };
  return pageOf(list, await run(compileList(list, { ...shape, by }), rarest.more), asked);
}

async function weigh(
  list: Listing,
  tenant: Tenant,
  name: string,
  filters: Readonly<Record<string, unknown>>,
): Promise<{ count: number; more?: Record<string, unknown> }> {
  const sieve = list.sieves[name]!;
  if (sieve.weigh) return sieve.weigh(tenant, filters);
  const statement = countOf(list, name, sieve);
  return (await tenant.row(statement, { [name]: filters[name] }))!;
}

const counts = new Map<string, Statement<{ tenant: string }, { count: number }>>();

function countOf(list: Listing, name: string, sieve: Sieve) {
  const key = `count ${list.title} ${name}`;
  const known = counts.get(key);
  if (known) return known;
  const made = reading<{ tenant: string }, { count: number }>(
    key,
    (p) =>
      sql`select count(*)::integer as count from (${sieve.matches(p)} limit ${sql.lit(MAX_MATCHES + 1)}) as found`,
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
