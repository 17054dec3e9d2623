import { sql, type RawBuilder, type SqlBool } from 'kysely';
import {
  hasEquality,
  MAX_MATCHES,
  sievesOf,
  type Condition,
  type Listing,
  type Parameters,
  type Shape,
} from './listing-shape.ts';
import { IS_RETURNED, marksOf } from './listing-step.ts';
import { reading, type Statement } from './statement.ts';

/** The most rows that are read because their sorted value begins with the search text: more than are sorted. */
const MAX_BEGINNING = MAX_MATCHES + 1;

type ListStatement = Statement<{ tenant: string }, unknown>;
type CountStatement = Statement<{ tenant: string; most: number }, { count: number }>;

const compiled = new WeakMap<Listing, Map<string, ListStatement>>();
const counts = new Map<string, CountStatement>();

/** The statement of a shape, compiled when it is first needed. */
export function compileList(list: Listing, shape: Shape): ListStatement {
  const known = compiled.getOrInsertComputed(list, () => new Map<string, ListStatement>());
  return known.getOrInsertComputed(JSON.stringify(shape), () => {
    // There are few common shapes; statements of other shapes are planned with their values.
    const isOrdered = typeof shape.by === 'object' && 'orderedBy' in shape.by;
    const isCommon =
      ((shape.by === undefined || isOrdered) && shape.filters.length <= 1) ||
      (typeof shape.by === 'object' && shape.filters.every((name) => /^q(?:_|$)/.test(name)));
    return reading(isCommon ? `list ${list.title}` : undefined, (p: Parameters) => build(list, shape, p));
  });
}

/** Counts the rows that pass the filters, up to one more than `most`. @param matched filter whose matches are read */
export function compileCount(list: Listing, filters: readonly string[], matched: string | undefined) {
  const shape: Shape = { filters, sort: 'id', goesOn: false, ...(matched && { by: { matchesOf: matched } }) };
  const rows = (p: Parameters) =>
    sql`select from ${sql.table(list.table)} as t ${where(conditions(list, shape, p))}`;
  return countOf(`${list.title} ${JSON.stringify(shape)}`, rows, false);
}

/** Counts rows up to `most`, compiled when it is first needed. @param isCommon else it is planned with its values */
export function countOf(key: string, rows: (p: Parameters) => RawBuilder<unknown>, isCommon = true) {
  return counts.getOrInsertComputed(key, () =>
    reading(
      isCommon ? key : undefined,
      (p) => sql`select count(*)::integer as count from (${rows(p)} limit ${p.most}) as found`,
    ),
  );
}

function build(list: Listing, shape: Shape, p: Parameters): RawBuilder<unknown> {
  if (typeof shape.by === 'object' && 'beginning' in shape.by)
    return buildBeginning(list, shape, shape.by.beginning, p);
  if (typeof shape.by === 'object' && 'orderedBy' in shape.by)
    return buildOrdered(list, shape, shape.by.orderedBy, p);
  if (isWalk(list, shape)) return buildWalk(list, shape, p);
  if (typeof shape.by === 'object' && 'among' in shape.by) return buildAmong(list, shape, shape.by, p);
  const order = orderOf(list, shape.sort);
  const isStep = shape.by === 'looking';
  const inner = unionOf(list, shape, p, order, isStep ? sieveChecks(list, shape, p) : undefined);
  if (areSure(shape)) return readRows(list, shape, p, { places: inner, kept: rowConditions(list, shape, p) });
  const place = list.sorts[shape.sort] ? sql`, t.place` : sql``;
  const marks = isStep ? sql`, t.is_match, t.end_id` : sql``;
  return sql`select ${sql.join(list.columns(p))}${place}${marks} from ${inner} as t ${where(isStep ? [IS_RETURNED] : [])} order by ${order.by} limit ${p['limit']}`;
}

function buildWalk(list: Listing, shape: Shape, p: Parameters): RawBuilder<unknown> {
  const sieve = typeof shape.by === 'object' && 'walking' in shape.by && list.sieves[shape.by.walking]!;
  // `is not false` makes PostgreSQL keep the matches in a hash table.
  const found = sieve
    ? [sql<SqlBool>`(t.id in (${sieve.matches(p)})) is not false`]
    : sieveChecks(list, shape, p);
  const kept = sieve ? rowConditions(list, shape, p) : conditions(list, { ...shape, goesOn: false }, p);
  const next = unionOf(list, shape, p, orderOf(list, shape.sort), found);
  const places = sql`select * from ${next} as t where ${IS_RETURNED}`;
  return readRows(list, shape, p, { places, kept, isStep: true });
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

/** The next matches that the index of a filter has in order, and those that it does not, which are few and sorted. */
function buildOrdered(list: Listing, shape: Shape, name: string, p: Parameters): RawBuilder<unknown> {
  const { matches, elsewhere } = list.sieves[name]!.ordered!;
  const order = orderOf(list, shape.sort);
  const place = sql`t.id${order.place}`;
  const next = [...ranges(list, shape, p), ...(shape.goesOn ? [afterPlace(list, shape.sort, p)] : [])];
  const indexed = [sql<SqlBool>`t.id <> all(array(select id from elsewhere))`, ...next];
  const others = [
    sql<SqlBool>`t.id = any(array(select id from elsewhere))`,
    ...conditions(list, shape, p),
    ...sieveChecks(list, shape, p),
  ];
  const places = sql`select * from (
      (select distinct ${place} from (${matches(p)}) as t ${where(indexed)} order by ${order.inner} limit ${p['limit']})
      union all
      (select ${place} from ${sql.table(list.table)} as t ${where(others)})) as t
    order by ${order.by} limit ${p['limit']}`;
  return sql`with elsewhere as materialized (${elsewhere(p)})
    ${readRows(list, shape, p, { places, kept: baseConditions(list, p) })}`;
}

/**
 * Reads the rows at these places one by one, until the page is full. Columns of a list are columns of its table, or
 * expressions on `t`.
 * @param kept conditions on the row
 * @param isStep whether the places are those of a step: its end is returned even if its row is not
 */
function readRows(
  list: Listing,
  shape: Shape,
  p: Parameters,
  { places, kept, isStep }: { places: RawBuilder<unknown>; kept: readonly Condition[]; isStep?: true },
): RawBuilder<unknown> {
  const isSorted = shape.sort in list.sorts;
  const place = isSorted ? sql`, m.place` : sql``;
  const direction = isDescending(list, shape.sort) ? sql` desc` : sql``;
  const order = isSorted ? sql`m.place${direction}, m.match${direction}` : sql`m.match${direction}`;
  const found = sql`t.id as match${isSorted ? sql`, t.place` : sql``}${isStep ? sql`, t.is_match, t.end_id` : sql``}`;
  const isMatch = sql`(m.is_match and t.id is not null)`;
  const marks = isStep ? sql`, ${isMatch} as is_match, m.end_id` : sql``;
  return sql`select ${sql.join(list.columns(p))}${place}${marks} from (select ${found} from (${places}) as t) as m
    ${isStep ? sql`left` : sql`cross`} join lateral (
      select * from (select * from ${sql.table(list.table)} as t ${where(kept)}) as t where t.id = m.match offset 0) as t
    ${isStep ? sql`on true where ${isMatch} or m.end_id is not null` : sql``} order by ${order} limit ${p['limit']}`;
}

/** Matches in order of id; their rows are read one by one, until the page is full. */
function buildAmong(
  list: Listing,
  shape: Shape,
  by: { among: string; isByWord?: true },
  p: Parameters,
): RawBuilder<unknown> {
  const sieve = list.sieves[by.among]!;
  const after = shape.goesOn ? sql`where m.id > ${p['after_id']}::uuid` : sql``;
  const matches = by.isByWord
    ? sieve.matchesByWord!(p, shape.goesOn ? p['after_id'] : undefined)
    : sieve.matches(p);
  const next = sql`select distinct m.id from (${matches}) as m ${after} order by m.id limit ${p['reach']}`;
  const places = sql`select t.id${marksOf(sql`t.id`, [], p['reach'])} from (${next}) as t`;
  const kept = rowConditions(list, shape, p);
  return readRows(list, { ...shape, sort: 'id' }, p, { places, kept, isStep: true });
}

/**
 * The rows in order, as many as the page or the step needs: one part, or one for each value of the split.
 * @param checks of a step, whose marks the rows then have
 */
function unionOf(
  list: Listing,
  shape: Shape,
  p: Parameters,
  order: Order,
  checks?: readonly Condition[],
): RawBuilder<unknown> {
  const isIndexAlone = areSure(shape) || isWalk(list, shape);
  const count = isIndexAlone || shape.by === 'looking' ? sql`${p['reach']}` : sql`${p['limit']}`;
  const columns = isIndexAlone ? sql`t.tenant_id, t.id` : sql`t.*`;
  const marks = (by: RawBuilder<unknown>) => (checks ? marksOf(by, checks, p['reach']) : sql``);
  const rows = (part: readonly Condition[], more = sql``) =>
    sql`(select ${columns}${order.place}${more} from ${sql.table(list.table)} as t
      ${where([...conditions(list, shape, p), ...part])} order by ${order.inner} limit ${count})`;
  const { split } = list;
  const isPlain = shape.sort === 'id' && !hasEquality(list, shape.filters);
  const isMatched = typeof shape.by === 'object' && !isWalk(list, shape);
  if (!split || isPlain || isMatched || shape.filters.includes(split)) return rows([], marks(order.inner));
  const parts = partsOf(list).map((part) => rows(part));
  return sql`(select *${marks(order.by)} from (${sql.join(parts, sql` union all `)}) as t order by ${order.by} limit ${count})`;
}

/** Conditions on every row of the list. */
function baseConditions(list: Listing, p: Parameters): Condition[] {
  return [sql<SqlBool>`t.tenant_id = ${p.tenant}`, ...(list.always ? [list.always] : [])];
}

function conditions(list: Listing, shape: Shape, p: Parameters): Condition[] {
  const equal = shape.filters.flatMap((name) => list.equal[name]?.(p[name]) ?? []);
  const all = [...baseConditions(list, p), ...equal, ...ranges(list, shape, p)];
  if (shape.goesOn) all.push(afterPlace(list, shape.sort, p));
  if (typeof shape.by === 'object' && 'matchesOf' in shape.by) {
    all.push(sql<SqlBool>`t.id = any(array(${matchesOf(list, shape, shape.by.matchesOf, p)}))`);
    if (!areSure(shape)) all.push(...sieveChecks(list, shape, p, shape.by.matchesOf));
  }
  if (typeof shape.by === 'object' && 'beginning' in shape.by) all.push(beginsAsSearched(list, shape, p));
  return all;
}

/** Whether the sorted value begins with the search text: a condition that the index of the sort supports. */
function beginsAsSearched(list: Listing, { by, sort }: Shape, p: Parameters): Condition {
  const { beginning } = by as { beginning: string };
  return list.sieves[beginning]!.begins!(list.sorts[sort]!.by, p);
}

/** Rows whose sorted value begins with the search text, in any order. */
export function beginningOf(list: Listing, shape: Shape, p: Parameters): RawBuilder<unknown> {
  const all = [...baseConditions(list, p), beginsAsSearched(list, shape, p)];
  const rows = partsOf(list).map(
    (part) => sql`(select t.id from ${sql.table(list.table)} as t ${where([...part, ...all])}
      limit ${sql.lit(MAX_BEGINNING)})`,
  );
  return sql`select id from (${sql.join(rows, sql` union all `)}) as begun`;
}

/** The condition of each part of the list. */
function partsOf({ split, equal }: Listing): Condition[][] {
  return split === undefined ? [[]] : [false, true].map((value) => [equal[split]!(sql.lit(value))]);
}

function areSure({ by }: Shape): boolean {
  return typeof by === 'object' && 'areSure' in by;
}

/** Whether the index of the sort is read alone, and a row only if it matches. */
function isWalk(list: Listing, shape: Shape): boolean {
  if (shape.by === 'looking') return sievesOf(list, shape).every((name) => list.sieves[name]!.checksId);
  return typeof shape.by === 'object' && ('walking' in shape.by || 'beginning' in shape.by);
}

/** All conditions on a row of the list, at whatever place. */
function rowConditions(list: Listing, shape: Shape, p: Parameters): Condition[] {
  const { by: _, ...plain } = shape;
  return [...conditions(list, { ...plain, goesOn: false }, p), ...sieveChecks(list, shape, p)];
}

function matchesOf(list: Listing, shape: Shape, name: string, p: Parameters): RawBuilder<unknown> {
  const sieve = list.sieves[name]!;
  const matches = sieve.matches(p);
  const isPage = sieve.checksId && shape.sort === 'id' && sievesOf(list, shape).length === 1;
  if (!isPage || hasEquality(list, shape.filters)) return matches;
  const after = shape.goesOn ? sql`where m.id > ${p['after_id']}::uuid` : sql``;
  return sql`select distinct m.id from (${matches}) as m ${after} order by m.id limit ${p['limit']}`;
}

/**
 * Ranges of the sorted column. A page that begins within a range gets its start from the cursor alone: given both,
 * PostgreSQL may start at the farther one.
 */
function ranges(list: Listing, shape: Shape, p: Parameters): Condition[] {
  const startsAt = isDescending(list, shape.sort) ? 'before' : 'from';
  return shape.filters.flatMap((name) => {
    const sieve = list.sieves[name];
    if (!sieve?.range?.sorts.includes(shape.sort)) return [];
    if (shape.goesOn && sieve.range.end === startsAt) return [];
    return [sieve.check(p)];
  });
}

/** @param matched the filter whose matches are read; it is checked only if they can be stale: those of a search */
function sieveChecks(list: Listing, shape: Shape, p: Parameters, matched?: string): Condition[] {
  return sievesOf(list, shape)
    .filter((name) => name !== matched || list.sieves[name]!.isUnsorted)
    .map((name) => list.sieves[name]!.check(p));
}

function afterPlace(list: Listing, sortName: string, p: Parameters): Condition {
  const comparison = isDescending(list, sortName) ? sql`<` : sql`>`;
  const id = sql`${p['after_id']}::${sql.raw(list.id)}`;
  const sort = list.sorts[sortName];
  if (!sort) return sql<SqlBool>`t.id ${comparison} ${id}`;
  return sql<SqlBool>`(${sort.by}, t.id) ${comparison} (${p['after_value']}::${sql.raw(sort.type)}, ${id})`;
}

type Order = Record<'place' | 'inner' | 'by', RawBuilder<unknown>>;

/** The order of the rows of a part, and of the union of the parts, where `place` holds the sorted value. */
function orderOf(list: Listing, sortName: string): Order {
  const direction = isDescending(list, sortName) ? sql` desc` : sql``;
  const sort = list.sorts[sortName];
  const byId = sql`t.id${direction}`;
  if (!sort) return { place: sql``, inner: byId, by: byId };
  return {
    place: sql`, ${sort.by} as place`,
    inner: sql`${sort.by}${direction}, ${byId}`,
    by: sql`t.place${direction}, ${byId}`,
  };
}

function isDescending(list: Listing, sort: string): boolean {
  return list.sorts[sort] ? list.sorts[sort].descending === true : list.descending === true;
}

function where(conditions: readonly Condition[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}
