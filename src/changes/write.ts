import { sql, type AliasedRawBuilder, type RawBuilder } from 'kysely';
import type { Change } from '../db/tenant.ts';
import { entryOfCreation, entryOfUpdate, type Subject } from './record.ts';

/** Columns to return: names, or expressions with an alias. */
export type Returned = readonly (string | RawBuilder<unknown> | AliasedRawBuilder<unknown, string>)[];

type Writing = {
  table: string;
  subject: Subject;
  returned: Returned;
  /** Further writes: common table expressions that read `before` and `written`. */
  also?: readonly RawBuilder<unknown>[];
};

/** Differs after every change of a row, and also in a database that was restored from an older backup and then changed. */
const STATE = sql<string>`version || '-' || (extract(epoch from updated_at) * 1000)::bigint`;

/** The ETag of a row. */
export const etag = STATE.as('etag');

/**
 * Whether If-Match names the state of a row, as `is_match`; null matches any state. Citus evaluates it
 * where a row is read, but not where one is written.
 */
export function matches(etags: unknown): RawBuilder<unknown> {
  return sql`(${etags}::text[] is null or ${STATE} = any(${etags}::text[])) as is_match`;
}

/** Tables whose ids the caller may choose. */
type TableOfChosenIds = 'contacts' | 'tasks' | 'offers';

/** `insert` of a row whose id the caller may choose; adds nothing when the workspace has used the id. */
export function insertion(
  table: TableOfChosenIds,
  tenant: string,
  columns: Readonly<Record<string, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  const names = Object.keys(columns).map((column) => sql.ref(column));
  return sql`insert into ${sql.table(table)} (tenant_id, ${sql.join(names)})
    ${neverUsed(table, tenant, columns)}
    on conflict (tenant_id, id) do nothing returning *`;
}

/** The values of a new row; no row when one with the id was deleted. An erased contact keeps its row. */
function neverUsed(
  table: TableOfChosenIds,
  tenant: string,
  columns: Readonly<Record<string, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  const values = sql.join(Object.values(columns));
  if (table === 'contacts') return sql`values (${tenant}, ${values})`;
  return sql`select ${tenant}::uuid, ${values} where not exists (
    select from deleted_rows where tenant_id = ${tenant} and resource = ${sql.lit(table.slice(0, -1))} and id = ${columns['id']}::text)`;
}

/** The states that If-Match names; null for any. */
export type IfMatch = { if_match: readonly string[] | null };

/**
 * A statement that adds a row and its entry in the change log. Returns no row when `insert` adds none.
 * @param what.first common table expressions that `insert` reads
 */
export function insertRecorded<Row>(
  p: Change,
  what: Omit<Writing, 'table'> & { insert: RawBuilder<unknown>; first?: readonly RawBuilder<unknown>[] },
): RawBuilder<Row> {
  const { first = [], insert, subject, also = [] } = what;
  const ctes = [...first, sql`written as (${insert})`, entryOfCreation(subject, p), ...also];
  return sql<Row>`with ${sql.join(ctes)} select ${list(what.returned)} from written`;
}

/**
 * A statement that changes one row and writes its entry. Equal values change nothing and write no entry: the row
 * is returned as it is. Returns no row when there is none, when If-Match names another state,
 * or when `onlyIf` is false; all conditions are evaluated on the locked row.
 * @param what.key condition on the row, in addition to its workspace
 * @param what.set new values by column; they may read the old ones from `before`, and the time from its `changed_at`
 * @param what.silently further columns to set, which do not count as a change
 */
export function updateRecorded<Row>(
  p: Change & IfMatch,
  what: Writing & {
    key: RawBuilder<unknown>;
    set: Readonly<Record<string, RawBuilder<unknown>>>;
    silently?: Readonly<Record<string, RawBuilder<unknown>>>;
    onlyIf?: RawBuilder<unknown>;
    action?: RawBuilder<unknown>;
  },
): RawBuilder<Row> {
  const { table, subject, returned, also = [] } = what;
  const allowed = what.onlyIf ? sql`before.is_match and ${what.onlyIf}` : sql`before.is_match`;
  const columns = Object.keys(what.set);
  const values = Object.values(what.set);
  const old = columns.map((column) => sql.ref(`before.${column}`));
  const assignments = Object.entries({ ...what.set, ...what.silently }).map(
    ([column, value]) => sql`${sql.ref(column)} = ${value}`,
  );
  const ctes = [
    sql`before as (
      select *, now() as changed_at, ${matches(p.if_match)} from ${sql.table(table)}
      where tenant_id = ${p.tenant} and ${what.key} for no key update)`,
    sql`written as (
      update ${sql.table(table)} as r set ${sql.join(assignments)}, version = r.version + 1, updated_at = before.changed_at
      from before
      where r.tenant_id = ${p.tenant} and r.id = before.id and ${allowed}
        and (${sql.join(values)}) is distinct from (${sql.join(old)})
      returning r.*)`,
    entryOfUpdate(subject, p, what.action),
    ...also,
  ];
  return sql<Row>`with ${sql.join(ctes)}
    select ${list(returned)} from written
    union all
    select ${list(returned)} from before where ${allowed} and not exists (select from written)`;
}

/** Columns to return, as SQL. */
export function list(returned: Returned): RawBuilder<unknown> {
  return sql.join(returned.map((column) => (typeof column === 'string' ? sql.ref(column) : column)));
}
