import { sql, type RawBuilder } from 'kysely';
import { statement } from '../db/statement.ts';
import type { Change, Tenant } from '../db/tenant.ts';
import { entryWithoutFields, type Subject } from './record.ts';
import { list, matches, type IfMatch, type Returned } from './write.ts';

/** Resources that can be deleted and restored. */
type Deletable = Subject & { resource: 'note' | 'task' | 'offer' };

/**
 * A statement that deletes one row, stores it so that it can be restored, and writes the entry. Returns no row when
 * there is none, or when If-Match names another state. A row may be stored already: a request that began before an
 * earlier deletion can have created it again.
 * @param what.key condition on the row, in addition to its workspace
 */
export function deleteRecorded(
  p: Change & IfMatch,
  {
    table,
    key,
    subject,
    also = [],
  }: {
    table: string;
    key: RawBuilder<unknown>;
    subject: Deletable;
    /** Common table expressions that read `gone`. */
    also?: readonly RawBuilder<unknown>[];
  },
): RawBuilder<{ id: string }> {
  // Notes have no version, so no ETag names a state of them.
  const allowed = subject.resource === 'note' ? sql`true as is_match` : matches(p.if_match);
  return sql<{ id: string }>`
    with before as (
      select *, ${allowed} from ${sql.table(table)} where tenant_id = ${p.tenant} and ${key} for update),
    gone as (
      delete from ${sql.table(table)} as r using before
      where r.tenant_id = ${p.tenant} and r.id = before.id and before.is_match returning r.*),
    kept as (
      insert into deleted_rows (tenant_id, resource, id, "row")
      select tenant_id, ${sql.lit(subject.resource)}, id::text, to_jsonb(gone) from gone
      on conflict (tenant_id, resource, id) do update set "row" = excluded."row", deleted_at = excluded.deleted_at),
    ${sql.join([entryWithoutFields(subject, p, 'deleted'), ...also])}
    select id::text as id from gone`;
}

/**
 * A statement that restores a deleted row. Returns no row when it was not deleted, was deleted too long ago, or was
 * created again.
 * @param what.key condition on the row of `deleted_rows`, in addition to its workspace and id
 * @param what.columns the stored columns; others are generated from them
 */
export function restoreRecorded<Row>(
  p: Change & { id: string },
  what: {
    table: string;
    key?: RawBuilder<unknown>;
    columns: readonly string[];
    subject: Deletable;
    returned: Returned;
    /** Common table expressions that read `written`. */
    also?: readonly RawBuilder<unknown>[];
  },
): RawBuilder<Row> {
  const { table, key = sql`true`, subject } = what;
  const columns = sql.join(what.columns.map((column) => sql.ref(column)));
  const values = sql.join(what.columns.map((column) => newValue(column)));
  const ctes = [
    sql`kept as (
      delete from deleted_rows
      where tenant_id = ${p.tenant} and resource = ${sql.lit(subject.resource)} and id = ${p.id} and "row" is not null and ${key}
      returning "row")`,
    sql`written as (
      insert into ${sql.table(table)} (${columns}) overriding system value
      select ${values} from kept, jsonb_populate_record(null::${sql.table(table)}, "row") as old
      on conflict do nothing
      returning *)`,
    entryWithoutFields(subject, p, 'restored', 'written'),
    ...(what.also ?? []),
  ];
  return sql<Row>`with ${sql.join(ctes)} select ${list(what.returned)} from written`;
}

/**
 * Makes a function that removes the oldest rows whose retention has ended, with an entry for each, and erases the
 * stored rows of deleted ones, which already have their entry and can then no longer be restored. The ids of both
 * cannot be used again. Each call handles one batch of both and returns their number.
 */
export function pruning(
  title: string,
  what: {
    table: string;
    subject: Deletable;
    /** The rows that retention applies to, such as tasks that are done, and the column that their age is read from. */
    ended: RawBuilder<unknown>;
    at: 'created_at' | 'updated_at';
    /** The time from which the retention of a row of `deleted_rows` counts. */
    deletedAt: RawBuilder<unknown>;
    /** Common table expressions that read `gone`. */
    also?: (tenant: string) => readonly RawBuilder<unknown>[];
  },
) {
  const { subject, ended, deletedAt, also = () => [] } = what;
  const [table, at] = [sql.table(what.table), sql.ref(what.at)];
  const prune = statement(title, (p: Change & { before: string; batch: number }) => {
    const kept = sql`tenant_id = ${p.tenant} and resource = ${sql.lit(subject.resource)}`;
    return sql<{ id: string }>`with
      old as (
        select id from ${table} where tenant_id = ${p.tenant} and ${ended} and ${at} < ${p.before}::timestamptz
        order by ${at} limit ${p.batch} for update skip locked),
      gone as (
        delete from ${table} where tenant_id = ${p.tenant} and id = any(array(select id from old)) returning *),
      used as (
        insert into deleted_rows (tenant_id, resource, id)
        select tenant_id, ${sql.lit(subject.resource)}, id::text from gone on conflict do nothing),
      ${sql.join([entryWithoutFields(subject, p, 'deleted'), ...also(p.tenant)])},
      expired as (
        select id from deleted_rows where ${kept} and "row" is not null and ${deletedAt} < ${p.before}::timestamptz
        limit ${p.batch} for update skip locked),
      forgotten as (
        update deleted_rows set "row" = null where ${kept} and id = any(array(select id from expired)) returning id)
      select id::text from gone union all select id from forgotten`;
  });
  return async (tenant: Tenant, before: Temporal.Instant, batch: number): Promise<number> =>
    (await tenant.rows(prune, { before: before.toString(), batch })).length;
}

/** Restoring is a change like any other: it has a new version and time. */
function newValue(column: string): RawBuilder<unknown> {
  if (column === 'version') return sql`old.version + 1`;
  if (column === 'updated_at') return sql`now()`;
  return sql.ref(`old.${column}`);
}
