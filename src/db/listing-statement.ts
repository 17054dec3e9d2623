import { sql, type RawBuilder, type SqlBool } from 'kysely';
import {
  areSure,
  beginningOf,
  conditions,
  isDescending,
  isWalk,
  orderOf,
  rowConditions,
  sieveChecks,
  unionOf,
  where,
} from './listing-parts.ts';
import type { Condition, Listing, Parameters, Shape } from './listing-shape.ts';
import { reading, type Statement } from './statement.ts';

type ListStatement = Statement<{ tenant: string }, unknown>;

const compiled = new WeakMap<Listing, Map<string, ListStatement>>();

/** The statement of a shape, compiled when it is first needed. */
export function compileList(list: Listing, shape: Shape): ListStatement {
  const known = compiled.get(list) ?? new Map<string, ListStatement>();
  compiled.set(list, known);
  const key = JSON.stringify(shape);
  const found = known.get(key);
  if (found) return found;
  // There are few common shapes; statements of other shapes are planned with their values.
  const isCommon =
    (shape.by === undefined && shape.filters.length <= 1) ||
    (typeof shape.by === 'object' && shape.filters.every((name) => /^q(?:_|$)/.test(name)));
  const made = reading<{ tenant: string }, unknown>(isCommon ? `list ${list.title}` : undefined, (p) =>
    build(list, shape, p),
  );
  known.set(key, made);
  return made;
}

/** Counts the rows that pass the filters, up to one more than `most`. @param matched filter whose matches are read */
export function compileCount(
  list: Listing,
  filters: readonly string[],
  matched: string | undefined,
): Statement<{ tenant: string }, { count: number }> {
  const shape: Shape = { filters, sort: 'id', goesOn: false, ...(matched && { by: { matchesOf: matched } }) };
  return reading<{ tenant: string }, { count: number }>(undefined, (p: Parameters) => {
    const rows = sql`select from ${sql.table(list.table)} as t ${where(conditions(list, shape, p))}`;
    return sql`select count(*)::integer as count from (${rows} limit ${p['most']}) as found`;
  });
}

function build(list: Listing, shape: Shape, p: Parameters): RawBuilder<unknown> {
  if (typeof shape.by === 'object' && 'beginning' in shape.by)
    return buildBeginning(list, shape, shape.by.beginning, p);
  if (isWalk(list, shape)) return buildWalk(list, shape, p);
  if (typeof shape.by === 'object' && ('among' in shape.by || 'endAmong' in shape.by))
    return buildAmong(list, shape, shape.by, p);
  const order = orderOf(list, shape.sort);
  const inner = unionOf(list, shape, p, order);
  if (shape.by === 'end') {
    return sql`select ${order.outer} from ${inner} as t order by ${order.by} limit 1 offset ${p['reach']}`;
  }
  const isUnchecked = shape.by === 'looking' || areSure(shape);
  const checks = isUnchecked ? sieveChecks(list, shape, p) : [];
  const place = list.sorts[shape.sort] ? sql`, t.place` : sql``;
  return sql`select ${sql.join(columnsOf(list, p))}${place} from ${inner} as t ${where(checks)} order by ${order.by} limit ${p['limit']}`;
}

function buildWalk(list: Listing, shape: Shape, p: Parameters): RawBuilder<unknown> {
  const isSearch = typeof shape.by === 'object' && 'walking' in shape.by;
  // `is not false` makes PostgreSQL keep the matches in a hash table.
  const found = isSearch
    ? [
        sql<SqlBool>`(t.id in (${list.sieves[(shape.by as { walking: string }).walking]!.matches(p)})) is not false`,
      ]
    : sieveChecks(list, shape, p);
  const kept = isSearch
    ? rowConditions(list, shape, p)
    : conditions(list, { ...shape, by: 'end', goesOn: false }, p);
  const next = unionOf(list, shape, p, orderOf(list, shape.sort));
  return readRows(list, shape, p, { places: sql`select * from ${next} as t ${where(found)}`, kept });
}

/** Rows that begin with the search text stand together in the index, and need no sorting; other matches are few. */
function buildBeginning(list: Listing, shape: Shape, name: string, p: Parameters): RawBuilder<unknown> {
  const order = orderOf(list, shape.sort);
  const { by: _, ...plain } = shape;
  const others = sql`select m.id from (${list.sieves[name]!.matches(p)}) as m
    where m.id not in (${beginningOf(list, shape, p)})`;
  const elsewhere = sql`select t.tenant_id, t.id${order.place} from ${sql.table(list.table)} as t
    ${where([...conditions(list, plain, p), sql<SqlBool>`t.id = any(array(${others}))`])}`;
  const places = sql`select * from (select * from ${unionOf(list, shape, p, order)} as t union all ${elsewhere}) as t
    order by ${order.by} limit ${p['reach']}`;
  return readRows(list, shape, p, { places, kept: rowConditions(list, shape, p) });
}

/** Reads the rows at these places one by one, until the page is full. @param kept conditions on the row */
function readRows(
  list: Listing,
  shape: Shape,
  p: Parameters,
  { places, kept }: { places: RawBuilder<unknown>; kept: readonly Condition[] },
): RawBuilder<unknown> {
  const isSorted = shape.sort in list.sorts;
  const place = isSorted ? sql`, m.place` : sql``;
  const direction = isDescending(list, shape.sort) ? sql` desc` : sql``;
  const order = isSorted ? sql`m.place${direction}, m.match${direction}` : sql`m.match${direction}`;
  return sql`select ${sql.join(columnsOf(list, p))}${place} from (select t.id as match${isSorted ? sql`, t.place` : sql``} from (${places}) as t) as m
    ${rowOfMatch(list, kept)} order by ${order} limit ${p['limit']}`;
}

/** Reads the row `t` of each `m.match`; columns of a list are columns of its table, or expressions on `t`. */
function rowOfMatch(list: Listing, kept: readonly Condition[]): RawBuilder<unknown> {
  return sql`cross join lateral (
    select * from (select * from ${sql.table(list.table)} as t ${where(kept)}) as t where t.id = m.match offset 0) as t`;
}

/** Matches in order of id; their rows are read one by one, until the page is full. */
function buildAmong(
  list: Listing,
  shape: Shape,
  by: { among: string; isByWord?: true } | { endAmong: string; isByWord?: true },
  p: Parameters,
): RawBuilder<unknown> {
  const name = 'among' in by ? by.among : by.endAmong;
  const sieve = list.sieves[name]!;
  const after = shape.goesOn ? sql`where m.id > ${p['after_id']}::uuid` : sql``;
  const matches = by.isByWord
    ? sieve.matchesByWord!(p, shape.goesOn ? p['after_id'] : undefined)
    : sieve.matches(p);
  const next = sql`select distinct m.id from (${matches}) as m ${after} order by m.id`;
  if ('endAmong' in by) return sql`${next} limit 1 offset ${p['reach']} - 1`;
  const kept = rowConditions(list, shape, p);
  return sql`select ${sql.join(columnsOf(list, p))} from (select id as match from (${next} limit ${p['reach']}) as m) as m
    ${rowOfMatch(list, kept)} order by m.match limit ${p['limit']}`;
}

function columnsOf({ columns, columnsBeside }: Listing, p: Parameters): readonly RawBuilder<unknown>[] {
  return columnsBeside ? [...columns, ...columnsBeside(p)] : columns;
}
