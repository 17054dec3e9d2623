import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { reading, type Statement } from './statement.ts';
import type { Tenant } from './tenant.ts';

type Condition = RawBuilder<SqlBool>;

/** What a list is sorted by beside its id; `type` is that of the column in PostgreSQL. */
export type Sort = { by: RawBuilder<unknown>; type: 'text' | 'timestamptz'; descending?: true };

/** Matches of a filter that are sorted for a page at most. */
export const MAX_MATCHES = 10_000;

/** Filters by name, and what is known beside them. */
type Given = Readonly<Record<string, unknown>>;

/** Matches of a filter at most; `areSure` when all but stale ones pass the check; `more` is for `matches`. */
export type Weight = { count: number; areSure?: boolean; more?: Record<string, unknown> };

/** A filter that no index has in the order of every sort. Conditions read the list's table as `t`. */
export type Sieve = {
  check: (p: Given) => Condition;
  /** A query of the `id`s that pass, from an index; `p` holds the filters and what `weigh` adds. */
  matches: (p: Given) => RawBuilder<unknown>;
  /** Counts the matches, up to one more than `most`. */
  weigh?: (tenant: Tenant, filters: Given, most: number) => Promise<Weight>;
  /** Whether a page is likely to be found among the next rows, so that these are looked through first. */
  isOftenCommon?: (filters: Given) => boolean;
  /** Whether `matches` are in order of id in their index, so that a list by id is read from there. */
  isById?: true;
  /** Whether matches have to be checked on the row: the index they are from can hold what is gone. */
  isStale?: true;
  /** Whether the check reads nothing of the row but its id, so that rows are looked through in an index alone. */
  checksId?: true;
  /** Of a search: whether the sort is left aside, and matches are read in order of id. */
  isUnsorted?: (filters: Given) => boolean;
  /** Of a range: the sorts whose index has it, and which end of the range it is. */
  range?: { sorts: readonly string[]; end: 'from' | 'before' };
};

/** One list, declared once; what is asked of it becomes a statement for each shape. */
export type Listing<Row = unknown> = {
  /** Never present; carries the type of a row. */
  readonly row?: () => Row;
  title: string;
  table: string;
  columns: readonly RawBuilder<unknown>[];
  /** More columns, which are read from other tables of the workspace. */
  columnsBeside?: (p: Given) => readonly RawBuilder<unknown>[];
  id: 'uuid' | 'bigint';
  /** The newest first. */
  descending?: true;
  /** Conditions on every row of the list, as its indexes have them. */
  always?: Condition;
  /** Beside `id`, which every list has. */
  sorts: Readonly<Record<string, Sort>>;
  /** Filters that an index has as an equality with each sort. */
  equal: Readonly<Record<string, (value: unknown) => Condition>>;
  sieves: Readonly<Record<string, Sieve>>;
  /**
   * A filter of few values that indexes hold before the sort. Where it is not given, the list is put together
   * from one part for each value, so that one index does for both.
   */
  split?: { filter: string; values: readonly unknown[] };
};

/** Where a page ends: the value sorted by, where that is not the id, and the id. */
export type Place = readonly (string | number)[];

/** What is asked of a list apart from values. */
export type Shape = {
  /** Names of the filters given, sorted. */
  filters: readonly string[];
  sort: string;
  /** Whether the page follows another. */
  goesOn: boolean;
  /**
   * How the page is found: from an index that has it as asked; `looking` through the next rows, or the place
   * where that `end`s; by sorting the matches of a filter, unchecked until sorted where all but a few `areSure`;
   * `among` the next matches in order of id, or the place where that ends; or by `walking` along the index of the
   * sort alone, where a match is likely to come soon.
   */
  by?:
    | 'looking'
    | 'end'
    | { matchesOf: string; areSure?: true }
    | { among: string }
    | { endAmong: string }
    | { walking: string };
};

type Parameters = Given & { tenant: string };
type ListStatement = Statement<{ tenant: string }, unknown>;

const compiled = new WeakMap<Listing, Map<string, ListStatement>>();

/** The statement of a shape, compiled when it is first asked for. */
export function compileList(list: Listing, shape: Shape): ListStatement {
  const known = compiled.get(list) ?? new Map<string, ListStatement>();
  compiled.set(list, known);
  const key = JSON.stringify(shape);
  const found = known.get(key);
  if (found) return found;
  // Of what is common there are few shapes; the others PostgreSQL plans with the values at hand.
  const isCommon =
    (shape.by === undefined && shape.filters.length <= 1) ||
    (typeof shape.by === 'object' && shape.filters.every((name) => /^q(?:_|$)/.test(name)));
  const made = reading<{ tenant: string }, unknown>(isCommon ? `list ${list.title}` : undefined, (p) =>
    build(list, shape, p),
  );
  known.set(key, made);
  return made;
}

/** Counts the rows that the filters leave, up to one more than `most`; `matched` is the filter whose matches are looked at. */
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

/** The rows in order, as many as the page or the look takes: one part, or one for each value of the split. */
function unionOf(list: Listing, shape: Shape, p: Parameters, order: Order): RawBuilder<unknown> {
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

function conditions(list: Listing, shape: Shape, p: Parameters): Condition[] {
  const equal = shape.filters.flatMap((name) => list.equal[name]?.(p[name]) ?? []);
  const all = [sql<SqlBool>`t.tenant_id = ${p.tenant}`, ...(list.always ? [list.always] : []), ...equal];
  all.push(...ranges(list, shape, p));
  if (shape.goesOn) all.push(afterPlace(list, shape.sort, p));
  if (typeof shape.by === 'object' && 'matchesOf' in shape.by) {
    all.push(sql<SqlBool>`t.id = any(array(${matchesOf(list, shape, shape.by.matchesOf, p)}))`);
    if (!areSure(shape)) all.push(...sieveChecks(list, shape, p, shape.by.matchesOf));
  }
  return all;
}

function areSure({ by }: Shape): boolean {
  return typeof by === 'object' && 'areSure' in by;
}

/** Whether an index of the sort is read alone, and rows only where they match. */
function isWalk(list: Listing, shape: Shape): boolean {
  if (shape.by === 'looking') return sievesOf(list, shape).every((name) => list.sieves[name]!.checksId);
  return typeof shape.by === 'object' && 'walking' in shape.by;
}

function buildWalk(list: Listing, shape: Shape, p: Parameters): RawBuilder<unknown> {
  const order = orderOf(list, shape.sort);
  const place = list.sorts[shape.sort] ? sql`, t.place` : sql``;
  const isSearch = typeof shape.by === 'object' && 'walking' in shape.by;
  // `is not false` keeps the matches in a hash table of their own.
  const found = isSearch
    ? [
        sql<SqlBool>`(t.id in (${list.sieves[(shape.by as { walking: string }).walking]!.matches(p)})) is not false`,
      ]
    : sieveChecks(list, shape, p);
  const kept = isSearch
    ? rowConditions(list, shape, p)
    : conditions(list, { ...shape, by: 'end', goesOn: false }, p);
  const columns = columnsOf(list, p).map((column) => sql`r.${column}`);
  return sql`select ${sql.join(columns)}${place}
    from (select * from ${unionOf(list, shape, p, order)} as t ${where(found)}) as t
    cross join lateral (
      select * from (select * from ${sql.table(list.table)} as t where ${sql.join(kept, sql` and `)}) as r where r.id = t.id offset 0) as r
    order by ${order.by} limit ${p['limit']}`;
}

/** Everything that a row of the list must be, wherever it stands. */
function rowConditions(list: Listing, shape: Shape, p: Parameters): Condition[] {
  const { by: _, ...plain } = shape;
  return [...conditions(list, { ...plain, goesOn: false }, p), ...sieveChecks(list, shape, p)];
}

/** Matches in order of id; their rows are read one by one, until the page is full. */
function buildAmong(
  list: Listing,
  shape: Shape,
  by: { among: string } | { endAmong: string },
  p: Parameters,
): RawBuilder<unknown> {
  const name = 'among' in by ? by.among : by.endAmong;
  const after = shape.goesOn ? sql`where m.id > ${p['after_id']}::uuid` : sql``;
  const next = sql`select distinct m.id from (${list.sieves[name]!.matches(p)}) as m ${after} order by m.id`;
  if ('endAmong' in by) return sql`${next} limit 1 offset ${p['reach']} - 1`;
  const kept = rowConditions(list, shape, p);
  const columns = columnsOf(list, p).map((column) => sql`t.${column}`);
  return sql`select ${sql.join(columns)} from (${next} limit ${p['reach']}) as m
    cross join lateral (
      select * from ${sql.table(list.table)} as t where t.id = m.id and ${sql.join(kept, sql` and `)} offset 0) as t
    order by m.id limit ${p['limit']}`;
}

function columnsOf({ columns, columnsBeside }: Listing, p: Parameters): readonly RawBuilder<unknown>[] {
  return columnsBeside ? [...columns, ...columnsBeside(p)] : columns;
}

function matchesOf(list: Listing, shape: Shape, name: string, p: Parameters): RawBuilder<unknown> {
  const sieve = list.sieves[name]!;
  const matches = sieve.matches(p);
  const isPage = sieve.isById && shape.sort === 'id' && sievesOf(list, shape).length === 1;
  if (!isPage || Object.keys(list.equal).some((filter) => shape.filters.includes(filter))) return matches;
  const after = shape.goesOn ? sql`where m.id > ${p['after_id']}::uuid` : sql``;
  return sql`select distinct m.id from (${matches}) as m ${after} order by m.id limit ${p['limit']}`;
}

/** Ranges of the column sorted by. Where a page begins inside of one, the cursor says so alone: of two ends PostgreSQL may start at the farther. */
function ranges(list: Listing, shape: Shape, p: Parameters): Condition[] {
  const startsAt = isDescending(list, shape.sort) ? 'before' : 'from';
  return shape.filters.flatMap((name) => {
    const sieve = list.sieves[name];
    if (!sieve?.range?.sorts.includes(shape.sort)) return [];
    if (shape.goesOn && sieve.range.end === startsAt) return [];
    return [sieve.check(p)];
  });
}

/** @param matched the filter whose matches alone are looked at */
function sieveChecks(list: Listing, shape: Shape, p: Parameters, matched?: string): Condition[] {
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

type Order = Record<'place' | 'inner' | 'by' | 'outer', RawBuilder<unknown>>;

/** How rows are ordered in a part, and in what is put together from parts, where `place` holds the value. */
function orderOf(list: Listing, sortName: string): Order {
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

function isDescending(list: Listing, sort: string): boolean {
  return list.sorts[sort] ? list.sorts[sort].descending === true : list.descending === true;
}

function where(conditions: readonly Condition[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}

/** Filters that the index of the sort does not have. */
export function sievesOf(list: Listing, shape: Pick<Shape, 'filters' | 'sort'>): string[] {
  return shape.filters.filter((name) => {
    const sieve = list.sieves[name];
    return sieve !== undefined && !sieve.range?.sorts.includes(shape.sort);
  });
}
