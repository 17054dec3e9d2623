import { DatabaseError, type Client } from 'pg';
import { ImportRefused } from './source.ts';

/** The table that will replace register_units; nobody sees it before the import commits. */
export const NEXT = 'register_units_next';

/** At most one record in this many may have the number of another. */
const DUPLICATE_ONE_IN = 1_000;

/** Enough to sort two million numbers without the disk. */
const SORT_MEMORY = '128MB';

const UNIQUE_VIOLATION = '23505';
const INSUFFICIENT_PRIVILEGE = '42501';

const OWNER = `
  select owner, quote_ident(owner) as quoted, owner = current_user as is_own
  from (select pg_get_userbyid(relowner) as owner from pg_class where oid = 'register_units'::regclass) as owned`;

/** Statements that build each constraint and index of register_units on NEXT, and statements that rename them later. */
const INDEXES = `
  select format('alter table ${NEXT} add constraint %I %s', temporary, definition) as build,
    format('alter table register_units rename constraint %I to %I', temporary, name) as rename
  from (
    select conname as name, pg_get_constraintdef(oid) as definition, contype,
      '${NEXT}_' || row_number() over (order by contype <> 'p', conname) as temporary
    from pg_constraint where conrelid = 'register_units'::regclass and contype in ('p', 'u', 'x', 'f')
  ) as constraints
  union all
  select format('create %s index %I on ${NEXT} %s', is_unique, temporary, definition),
    format('alter index %I rename to %I', temporary, name)
  from (
    select relname as name, case when indisunique then 'unique' end as is_unique,
      substring(pg_get_indexdef(indexrelid) from ' (USING .*)') as definition,
      '${NEXT}_index_' || row_number() over (order by relname) as temporary
    from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = 'register_units'::regclass
      and not exists (select from pg_constraint where conindid = indexrelid and conrelid = indrelid)
  ) as indexes`;

const GRANTS = `
  select format('grant %s%s on ${NEXT} to %s%s', privilege_type, field,
    case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
    case when is_grantable then ' with grant option' end) as grant
  from (
    select '' as field, relowner, (aclexplode(relacl)).* from pg_class where oid = 'register_units'::regclass
    union all
    select format(' (%I)', attname), relowner, (aclexplode(attacl)).*
    from pg_attribute join pg_class on pg_class.oid = attrelid where attrelid = 'register_units'::regclass
  ) as granted where grantee <> relowner`;

/**
 * Creates the table without indexes: building them after the load takes a third of the time.
 * @throws {ImportRefused} when it cannot be given to the owner of register_units
 */
export async function createTable(client: Client): Promise<void> {
  await client.query(`create table ${NEXT} (like register_units including all excluding indexes)`);
  const { rows } = await client.query<{ owner: string; quoted: string; is_own: boolean }>(OWNER);
  const { owner, quoted, is_own } = rows[0]!;
  if (!is_own) await giveTo(client, owner, quoted);
}

/** The service could not read a table that another role owns. */
async function giveTo(client: Client, owner: string, quoted: string): Promise<void> {
  await client.query(`alter table ${NEXT} owner to ${quoted}`).catch((cause: unknown) => {
    if (!(cause instanceof DatabaseError) || cause.code !== INSUFFICIENT_PRIVILEGE) throw cause;
    const message = `The table register_units belongs to the role ${owner}: import with that role in DATABASE_URL`;
    throw new ImportRefused(message, { cause });
  });
}

/**
 * Builds the indexes and constraints of register_units. Of records with the same number the last one stays.
 * @returns how many others were deleted
 * @throws {ImportRefused} when there are too many of them
 */
export async function buildIndexes(client: Client, loaded: number): Promise<number> {
  const { rows } = await client.query<{ build: string }>(INDEXES);
  const build = `set local maintenance_work_mem = '${SORT_MEMORY}'; ${rows.map((row) => row.build).join(';')}`;
  await client.query('savepoint build');
  try {
    await client.query(build);
    return 0;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== UNIQUE_VIOLATION) throw error;
    await client.query('rollback to savepoint build');
  }
  // Rows lie in the order in which they were loaded.
  const deleted = await client.query(
    `delete from ${NEXT} former using ${NEXT} later where later.orgnr = former.orgnr and later.ctid > former.ctid`,
  );
  const duplicates = deleted.rowCount ?? 0;
  if (duplicates * DUPLICATE_ONE_IN > loaded) {
    throw new ImportRefused(
      `${duplicates} of ${loaded} records have the number of another: give each file once, or download them again`,
    );
  }
  await client.query(build);
  return duplicates;
}

/**
 * Replaces register_units with the new table, which takes over its privileges and the names of its indexes and
 * constraints.
 */
export async function replaceTable(client: Client): Promise<void> {
  const grants = await client.query<{ grant: string }>(GRANTS);
  const indexes = await client.query<{ rename: string }>(INDEXES);
  await client.query(
    [
      ...grants.rows.map((row) => row.grant),
      'drop table register_units',
      `alter table ${NEXT} rename to register_units`,
      ...indexes.rows.map((row) => row.rename),
    ].join(';\n'),
  );
}
