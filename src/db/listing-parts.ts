import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Condition, Listing, Parameters, Shape } from './listing-shape.ts';

/** The most rows that are read because their sorted value begins with the search text: more than are sorted. */
const MAX_BEGINNING = 10_001;

/** The rows in order, as many as the page or the step needs: one part, or one for each value of the split. */
export function unionOf(list: Listing, shape: Shape, p: Parameters, order: Order): RawBuilder<unknown> {
  const isBounded = shape.by === 'looking' || shape.by === 'end' || areSure(shape) || isWalk(list, shape);
  const count = isBounded ? sql`${p['reach']}` : sql`${p['limit']}`;
  const extra = shape.by === 'end' ? sql` + 1` : sql``;
  const limited = (rows: RawBuilder<unknown>) =>
    sql`(${rows} order by ${order.inner} limit ${count}${extra})`;
  const rows = (part: readonly Condition[]) =>
    limited(
      sql`select ${shape.by === 'end' || isWalk(list, shape) ? sql`t.tenant_id, t.id` : sql`t.*`}${order.place} from ${sql.table(list.table)} as t ${where([...conditions(list, shape, p), ...part])}`,
    );
  const { split } = list;
  const isPlain = shape.sort === 'id' && !shape.filters.some((name) => name in list.equal);
  const isMatched = typeof shape.by === 'object' && !isWalk(list, shape);
  if (!split || isPlain || isMatched || shape.filters.includes(split.filter)) return rows([]);
  const parts = split.values.map((value) => rows([list.equal[split.filter]!(sql.lit(value))]));
  const union = sql.join(parts, sql` union all `);
  return sql`(select * from (${union}) as t order by ${order.by} limit ${count}${extra})`;
}

export function conditions(list: Listing, shape: Shape, p: Parameters): Condition[] {
  const equal = shape.filters.flatMap((name) => list.equal[name]?.(p[name]) ?? []);
  const all = [sql<SqlBool>`t.tenant_id = ${p.tenant}`, ...(list.always ? [list.always] : []), ...equal];
  all.push(...ranges(list, shape, p));
  if (shape.goesOn) all.push(afterPlace(list, shape.sort, p));
  if (typeof shape.by === 'object' && 'matchesOf' in shape.by) {
    all.push(sql<SqlBool>`t.id = any(array(${matchesOf(list, shape, shape.by.matchesOf, p)}))`);
    if (!areSure(shape)) all.push(...sieveChecks(list, shape, p, shape.by.matchesOf));
  }
  if (isBeginning(shape)) all.push(beginsAsSearched(list, shape, p));
  return all;
}

/** Whether the sorted value begins with the search text: a condition that the index of the sort supports. */
function beginsAsSearched(list: Listing, { by, sort }: Shape, p: Parameters): Condition {
  const { beginning } = by as { beginning: string };
  return list.sieves[beginning]!.begins!(list.sorts[sort]!.by, p);
}

/** Rows whose sorted value begins with the search text, in any order. */
export function beginningOf(list: Listing, shape: Shape, p: Parameters): RawBuilder<unknown> {
  const all = [sql<SqlBool>`t.tenant_id = ${p.tenant}`, ...(list.always ? [list.always] : [])];
  all.push(beginsAsSearched(list, shape, p));
  const { split } = list;
  const parts = split?.values.map((value) => [list.equal[split.filter]!(sql.lit(value))]) ?? [[]];
  const rows = parts.map(
    (part) => sql`(select t.id from ${sql.table(list.table)} as t ${where([...part, ...all])}
      limit ${sql.lit(MAX_BEGINNING)})`,
  );
  return sql`select id from (${sql.join(rows, sql` union all `)}) as begun`;
}

export function areSure({ by }: Shape): boolean {
  return typeof by === 'object' && 'areSure' in by;
}

/** Whether the index of the sort is read alone, and a row only if it matches. */
export function isWalk(list: Listing, shape: Shape): boolean {
  if (shape.by === 'looking') return sievesOf(list, shape).every((name) => list.sieves[name]!.checksId);
  return typeof shape.by === 'object' && ('walking' in shape.by || 'beginning' in shape.by);
}

function isBeginning({ by }: Shape): boolean {
  return typeof by === 'object' && 'beginning' in by;
}

/** All conditions on a row of the list, at whatever place. */
export function rowConditions(list: Listing, shape: Shape, p: Parameters): Condition[] {
  const { by: _, ...plain } = shape;
  return [...conditions(list, { ...plain, goesOn: false }, p), ...sieveChecks(list, shape, p)];
}

function matchesOf(list: Listing, shape: Shape, name: string, p: Parameters): RawBuilder<unknown> {
  const sieve = list.sieves[name]!;
  const matches = sieve.matches(p);
  const isPage = sieve.isById && shape.sort === 'id' && sievesOf(list, shape).length === 1;
  if (!isPage || Object.keys(list.equal).some((filter) => shape.filters.includes(filter))) return matches;
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

/** @param matched the filter whose matches are read; it is checked only if they can be stale */
export function sieveChecks(list: Listing, shape: Shape, p: Parameters, matched?: string): Condition[] {
  return sievesOf(list, shape)
    .filter((name) => name !== matched || list.sieves[name]!.isStale)
    .map((name) => list.sieves[name]!.check(p));
}

function afterPlace(list: Listing, sortName: string, p: Parameters): Condition {
  const comparison = isDescending(list, sortName) ? sql`<` : sql`>`;
  const id = sql`${p['after_id']}::${sql.raw(list.id)}`;
  const sort = list.sorts[sortName];
  if (!sort) return sql<SqlBool>`t.id ${comparison} ${id}`;
  return sql<SqlBool>`(${sort.by}, t.id) ${comparison} (${p['after_value']}::${sql.raw(sort.type)}, ${id})`;
}

export type Order = Record<'place' | 'inner' | 'by' | 'outer', RawBuilder<unknown>>;

/** The order of the rows of a part, and of the union of the parts, where `place` holds the sorted value. */
export function orderOf(list: Listing, sortName: string): Order {
  const direction = isDescending(list, sortName) ? sql` desc` : sql``;
  const sort = list.sorts[sortName];
  const byId = sql`t.id${direction}`;
  if (!sort) return { place: sql``, inner: byId, by: byId, outer: sql`t.id` };
  return {
    place: sql`, ${sort.by} as place`,
    inner: sql`${sort.by}${direction}, ${byId}`,
    by: sql`t.place${direction}, ${byId}`,
    outer: sql`t.id, t.place`,
  };
}

export function isDescending(list: Listing, sort: string): boolean {
  return list.sorts[sort] ? list.sorts[sort].descending === true : list.descending === true;
}

export function where(conditions: readonly Condition[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}

/** Filters that the index of the sort does not support. */
export function sievesOf(list: Listing, shape: Pick<Shape, 'filters' | 'sort'>): string[] {
  return shape.filters.filter((name) => {
    const sieve = list.sieves[name];
    return sieve !== undefined && !sieve.range?.sorts.includes(shape.sort);
  });
}
