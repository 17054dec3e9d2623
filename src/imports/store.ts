import { sql, type RawBuilder } from 'kysely';
import { COMPANY_REFERENCES, isUse } from '../companies/references.ts';
import { reading, statement } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import { OUTCOMES, type Import, type ListedImport, type ListedRow, type Result } from './schema.ts';

/** Undoing must begin within a day of the import, and may go on for an hour more, so that it does not end halfway. */
const CAN_UNDO = sql`created_at > now() - case when undone_at is null then interval '24 hours' else interval '25 hours' end`;

/**
 * An import that received rows within this time counts as under way. A time further in the future comes from a clock
 * that was later set back.
 */
const UNDER_WAY_WITHIN = sql`interval '1 minute'`;

const IMPORT = sql`id, resource, user_id, file_name, columns, row_count, digest, created_count, updated_count, unchanged_count,
  refused_count, undone_count, kept_count, created_at, undone_at, ${CAN_UNDO} as can_undo,
  updated_at between now() - ${UNDER_WAY_WITHIN} and now() + ${UNDER_WAY_WITHIN} as is_under_way`;

/** Runs a write and reads its row back: Citus allows no `now()` in `returning`. */
function written(write: RawBuilder<unknown>): RawBuilder<Import> {
  return sql<Import>`with written as (${write} returning *) select ${IMPORT} from written`;
}

export const insertImport = statement(
  'insert import',
  (p: Change & Pick<Import, 'id' | 'resource' | 'file_name' | 'columns' | 'row_count' | 'digest'>) =>
    written(sql`
    insert into imports (tenant_id, id, resource, user_id, file_name, columns, row_count, digest)
    values (${p.tenant}, ${p.id}, ${p.resource}, ${p.author_id}, ${p.file_name}, ${p.columns}, ${p.row_count}, ${p.digest})`),
);

export const findImport = reading(
  'find import',
  (p: { tenant: string; id: string }) => sql<Import>`
    select ${IMPORT} from imports where tenant_id = ${p.tenant} and id = ${p.id}`,
);

/** Newest first. */
export const listImports = reading(
  'list imports',
  (p: { tenant: string }) => sql<ListedImport>`
    select i.*, concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')) as user_name
    from (
      select ${IMPORT} from imports where tenant_id = ${p.tenant} order by created_at desc, id desc limit 50
    ) as i join users u on u.id = i.user_id
    order by created_at desc, i.id desc`,
);

/** Locks an import until the transaction ends: two browsers that continue it take turns. */
export const lockImport = statement('lock import', (p: { tenant: string; id: string }) =>
  written(sql`
    update imports set updated_at = now() where tenant_id = ${p.tenant} and id = ${p.id}`),
);

/**
 * Locks the names of resources to match or create until the transaction ends, so that two imports of the same file do
 * not create a resource twice. A fixed order of the locks prevents deadlocks. The names share 1024 locks of each
 * workspace, since all databases of a PostgreSQL server share one lock table.
 */
export const lockNames = statement(
  'lock names of an import',
  (p: { tenant: string; names: readonly string[] }) => sql<{ locked: number }>`
    with names as materialized (
      select distinct hashtextextended(${p.tenant}::text || (hashtext(name) & 1023), 18) as name
      from unnest(${p.names}::text[]) as name order by 1),
    locks as materialized (select pg_advisory_xact_lock(name) from names)
    select count(*)::integer as locked from locks`,
);

/** Locks companies as a foreign key does, before they are read: undoing their import then waits and keeps them. */
export const lockNamed = statement(
  'lock companies that rows name',
  (p: { tenant: string; orgnrs: readonly string[] }) => sql<{ id: string }>`
    select id from companies where tenant_id = ${p.tenant} and orgnr = any(${p.orgnrs}::text[])
    order by id for key share`,
);

const RESULT = sql`line, outcome, resource_id, fields, reasons`;

const COUNTED = OUTCOMES.map((outcome) => {
  const counter = sql.ref(`${outcome}_count`);
  return sql`${counter} = ${counter} + (select count(*) from added where outcome = ${sql.lit(outcome)})`;
});

/** Stores rows of an import and counts them. @param p.rows JSON with members named like columns */
export const insertRows = statement(
  'insert import rows',
  (p: { tenant: string; id: string; rows: string }) => sql<{ id: string }>`
    with added as (
      insert into import_rows (tenant_id, import_id, ${RESULT}, before, etag)
      select ${p.tenant}, ${p.id}, ${RESULT}, before, etag
      from jsonb_populate_recordset(null::import_rows, ${p.rows}::jsonb) returning outcome)
    update imports set ${sql.join(COUNTED)} where tenant_id = ${p.tenant} and id = ${p.id} returning id`,
);

export const findRows = reading(
  'find import rows',
  (p: { tenant: string; id: string; lines: readonly number[] }) => sql<Result>`
    select ${RESULT} from import_rows
    where tenant_id = ${p.tenant} and import_id = ${p.id} and line = any(${p.lines}::integer[]) order by line`,
);

/** Rows of this import about these resources. */
export const findRowsOf = reading(
  'find import rows of resources',
  (p: { tenant: string; id: string; ids: readonly string[] }) => sql<{ line: number; resource_id: string }>`
    select line, resource_id from import_rows
    where tenant_id = ${p.tenant} and import_id = ${p.id} and resource_id = any(${p.ids}::uuid[])`,
);

export const listRows = reading(
  'list import rows',
  (p: { tenant: string; id: string; show: string | null; after: number; limit: number }) => sql<ListedRow>`
    select ${RESULT}, undo, coalesce(c.name, k.name, o.title) as label, c.orgnr
    from import_rows r join imports i on i.tenant_id = ${p.tenant} and i.id = r.import_id
    left join companies c on c.tenant_id = ${p.tenant} and c.id = r.resource_id and i.resource = 'company'
    left join contacts k on k.tenant_id = ${p.tenant} and k.id = r.resource_id and i.resource = 'contact' and k.erased_at is null
    left join offers o on o.tenant_id = ${p.tenant} and o.id = r.resource_id and i.resource = 'offer'
    where r.tenant_id = ${p.tenant} and r.import_id = ${p.id} and r.line > ${p.after}
      and (${p.show}::text is null or r.outcome = ${p.show} or r.undo = ${p.show})
    order by r.line limit ${p.limit}`,
);

export type RowToUndo = {
  line: number;
  outcome: 'created' | 'updated';
  resource_id: string;
  before: unknown;
  etag: string;
};

/** Marks the import as undone; returns no row when that is no longer possible. */
export const beginUndo = statement('begin undo of import', (p: { tenant: string; id: string }) =>
  written(sql`
    update imports set undone_at = least(undone_at, now()), updated_at = now()
    where tenant_id = ${p.tenant} and id = ${p.id} and ${CAN_UNDO}`),
);

type ToUndo = { tenant: string; id: string; limit: number };

const lastRows = (p: ToUndo) => sql`
  select line, outcome, resource_id, before, etag from import_rows
  where tenant_id = ${p.tenant} and import_id = ${p.id} and outcome in ('created', 'updated') and undo is null
  order by line desc limit ${p.limit}`;

/** The last rows, in order of `resource_id`: an import locks in the same order, which prevents deadlocks. */
export const listRowsToUndo = reading(
  'list import rows to undo',
  (p: ToUndo) => sql<RowToUndo>`select * from (${lastRows(p)}) as last order by resource_id`,
);

/**
 * Locks the companies of these rows until the transaction ends, in the same order as a sync of the register. A sync
 * changes a company and its rows together; the lock keeps it from doing so between the reads of the two.
 */
export const lockCompaniesToUndo = statement(
  'lock companies to undo',
  (p: ToUndo) => sql<{ id: string }>`
    select id from companies
    where tenant_id = ${p.tenant} and id = any(array(select resource_id from (${lastRows(p)}) as last))
    order by id for no key update`,
);

/** Locks these companies, and so waits for writes that refer to them: their foreign keys lock the company. */
export const lockUndone = statement(
  'lock companies that were undone',
  (p: { tenant: string; ids: readonly string[] }) => sql<{ id: string }>`
    select id from companies where tenant_id = ${p.tenant} and id = any(${p.ids}::uuid[]) order by id for update`,
);

export const setUndo = statement(
  'set undo of import row',
  (p: { tenant: string; id: string; line: number; undo: 'undone' | 'kept'; etag: string | null }) => sql<{
    line: number;
  }>`
    update import_rows set undo = ${p.undo}, etag = ${p.etag}, before = null
    where tenant_id = ${p.tenant} and import_id = ${p.id} and line = ${p.line} returning line`,
);

export const countUndo = statement(
  'count undo of import',
  (p: { tenant: string; id: string; undone: number; kept: number }) =>
    written(sql`
    update imports set undone_count = undone_count + ${p.undone}, kept_count = kept_count + ${p.kept}
    where tenant_id = ${p.tenant} and id = ${p.id}`),
);

/** Companies that an undone import created, in the state that undoing left. */
export const findUndone = reading(
  'find undone companies',
  (p: { tenant: string; ids: readonly string[] }) => sql<{ resource_id: string; etag: string }>`
    select resource_id, etag from import_rows
    where tenant_id = ${p.tenant} and resource_id = any(${p.ids}::uuid[]) and undo = 'undone' and outcome = 'created'`,
);

/** Whether a company has notes, contacts, tasks or offers. */
export const isCompanyUsed = reading('is company used', (p: { tenant: string; id: string }) => {
  const uses = Object.entries(COMPANY_REFERENCES).map(
    ([table, column]) =>
      sql`exists (select from ${sql.table(table)} as r
        where r.tenant_id = ${p.tenant} and ${sql.ref(`r.${column}`)} = ${p.id} and ${isUse(table, 'r')})`,
  );
  return sql<{ is_used: boolean }>`select ${sql.join(uses, sql` or `)} as is_used`;
});

/** Forgets earlier values once the import can no longer be undone. The import's list of rows is kept for 90 days. */
export const forgetUndo = statement(
  'forget what imports changed',
  (p: { batch: number }) => sql<{ line: number }>`
    update import_rows set before = null where (tenant_id, import_id, line) in (
      select r.tenant_id, r.import_id, r.line from import_rows r
      join imports i on i.tenant_id = r.tenant_id and i.id = r.import_id
      where r.before is not null and i.created_at < now() - interval '25 hours' limit ${p.batch})
    returning line`,
);

const IS_OLD = sql`i.created_at < now() - interval '90 days'`;

/** Runs before the old imports are deleted, because deleting an import deletes all of its rows at once. */
export const deleteOldRows = statement(
  'delete rows of old imports',
  (p: { batch: number }) => sql<{ line: number }>`
    delete from import_rows where (tenant_id, import_id, line) in (
      select r.tenant_id, r.import_id, r.line from import_rows r
      join imports i on i.tenant_id = r.tenant_id and i.id = r.import_id
      where ${IS_OLD} limit ${p.batch})
    returning line`,
);

export const deleteOldImports = statement(
  'delete old imports',
  (p: { batch: number }) => sql<{ id: string }>`
    delete from imports where (tenant_id, id) in (
      select i.tenant_id, i.id from imports i
      where ${IS_OLD} and not exists (
        select from import_rows r where r.tenant_id = i.tenant_id and r.import_id = i.id)
      limit ${p.batch})
    returning id`,
);
