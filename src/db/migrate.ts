import { DatabaseError, escapeIdentifier, type ClientBase, type Pool } from 'pg';
import { beginWithLocks } from './await-locks.ts';
import { LOCKS } from './locks.ts';
import { RELEASED, type Migration } from './migrations.ts';
import { requireFitServer } from './fit-server.ts';
import { type Session, withSession } from './session.ts';
import { applyOnShards, isDistributed } from './sharding/distribute.ts';
import { DatabaseUnavailable, reasonOf, toUnavailable } from './unavailable.ts';

/** A row of `schema_migrations`; a release without checksums leaves them out. */
type AppliedMigration = { version: number; name: string; checksum?: string | null };

/** How the schema of a database compares to this release. */
type SchemaState = {
  /** `denied`: there are no tables yet, and the role of the connection may not create any. */
  state: 'current' | 'behind' | 'ahead' | 'conflict' | 'denied';
  /** What was found, in words. */
  found: string;
  /** What to do unless the schema is current. */
  advice: string;
};

type Listener = {
  /** Called before each migration, which may take minutes, of a database that already has some. */
  onUpgrade?: (migration: string) => void;
  /** Called every few seconds while other sessions, such as those of a backup, keep tables locked. */
  onWait?: (holders: string) => void;
};

const PREPARE_TABLE = `
  create table if not exists schema_migrations
    (version integer primary key, name text not null, applied_at timestamptz not null default now());
  alter table schema_migrations add column if not exists checksum text`;

/** A read-only database, or a role that does not own the table, works without checksums. */
const MAY_CHANGE_TABLE = `
  select 1 from pg_class where oid = 'schema_migrations'::regclass and pg_has_role(relowner, 'usage')
    and not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'`;

const OTHER_OWNER = `
  select rolname as owner, rolsuper as is_superuser, current_user as role
  from pg_class join pg_roles on pg_roles.oid = relowner
  where pg_class.oid = to_regclass('schema_migrations') and rolname <> current_user`;

const INSUFFICIENT_PRIVILEGE = '42501';

/** Since version 15, PostgreSQL lets only the owner of a database create tables in `public` unless told otherwise. */
const MAY_NOT_CREATE = `
  select format(
    'the role %1$I may not create tables in the schema %2$I: alter database %3$I owner to %1$I',
    current_user, current_schema(), current_database()) as advice
  where not has_schema_privilege(current_schema(), 'create')`;

/** The schema in the database is not one that this release can work with. */
export class UnfitSchema extends Error {
  override readonly name = 'UnfitSchema';

  constructor({ found, advice }: SchemaState) {
    super(`The database cannot be used: ${found}: ${advice}`);
  }
}

/** The database became unavailable during a migration, for a reason that the cause gives. */
export class InterruptedMigration extends DatabaseUnavailable {
  constructor(migration: string, cause: unknown) {
    super(
      `Migration ${migration} was interrupted and rolled back (${reasonOf(cause)}): remove the cause, such as a full disk or a proxy that closes silent connections, and try again`,
      { cause },
    );
  }
}

/** A migration failed and was rolled back; the message says why and what to do, where that is known. */
export class FailedMigration extends Error {
  override readonly name = 'FailedMigration';
}

/**
 * Brings the schema up to this release: each missing migration in a transaction of its own, under a lock, so
 * that any number of processes may start at once.
 * @returns names of the migrations that were applied
 * @throws {UnfitServer} before anything is changed
 * @throws {UnfitSchema} when the schema is newer than this release or was made by other migrations
 * @throws {FailedMigration}
 * @throws {DatabaseUnavailable} during a migration an {InterruptedMigration}
 */
export async function migrate(
  url: string,
  migrations = RELEASED,
  { onUpgrade = () => {}, onWait = () => {} }: Listener = {},
): Promise<string[]> {
  const done: string[] = [];
  async function applyMissing(client: Session): Promise<void> {
    await requireFitServer(client);
    // The work of a process that is killed ends with it: otherwise PostgreSQL goes on, and keeps its locks. Not every
    // platform has this.
    await client.query("set client_connection_check_interval = '2s'").catch(() => {});
    while (await needsWork(client, migrations, onWait)) {
      const isNew = done[0] !== undefined && done[0] === migrations[0]?.name;
      const name = await applyNext(client, migrations, { onUpgrade: isNew ? () => {} : onUpgrade, onWait });
      if (name !== undefined) done.push(name);
    }
  }
  await withSession(url, applyMissing, 0).catch((cause: unknown) => {
    throw toUnavailable(cause);
  });
  return done;
}

export async function findSchemaState(
  client: Pool | ClientBase,
  migrations = RELEASED,
): Promise<SchemaState> {
  return (await judge(client, migrations)).schema;
}

async function judge(client: Pool | ClientBase, migrations: readonly Migration[]) {
  const applied = await readApplied(client);
  const schema = judgeSchema(applied, migrations);
  if (applied.length > 0) return { applied, schema };
  const [denied] = (await client.query<{ advice: string }>(MAY_NOT_CREATE)).rows;
  return { applied, schema: denied ? { ...schema, state: 'denied' as const, ...denied } : schema };
}

/**
 * A process that applies a migration has the table locked for as long as that takes.
 * @throws {UnfitSchema}
 */
async function needsWork(
  client: Session,
  migrations: readonly Migration[],
  onWait: Required<Listener>['onWait'],
): Promise<boolean> {
  const { applied, schema } = await beginWithLocks(client, () => judge(client, migrations), onWait);
  await client.query('commit');
  if (schema.state === 'behind') return true;
  if (schema.state !== 'current') throw new UnfitSchema(schema);
  if (applied.every(({ checksum }) => checksum)) return false;
  return (await client.query(MAY_CHANGE_TABLE)).rowCount === 1;
}

/**
 * Applies a migration in the transaction of its lock: a pooler may give the next transaction another connection.
 * PostgreSQL rolls back what is not committed when the connection ends.
 */
async function applyNext(
  client: Session,
  migrations: readonly Migration[],
  { onUpgrade, onWait }: Required<Listener>,
): Promise<string | undefined> {
  let told: string | undefined;
  async function work(): Promise<string | undefined> {
    const applied = await lockSchema(client, migrations);
    await adoptChecksums(client, applied, migrations);
    const next = migrations[applied.length];
    if (next && applied.length > 0 && next.name !== told) onUpgrade((told = next.name));
    if (next) await apply(client, next);
    return next?.name;
  }
  const name = await beginWithLocks(client, work, onWait);
  await client.query('commit');
  return name;
}

/** Acts as the owner of the tables until the transaction ends: tables of another role would be closed to the service. */
async function becomeOwner(client: Session): Promise<void> {
  const { rows } = await client.query<{ owner: string; is_superuser: boolean; role: string }>(OTHER_OWNER);
  for (const { owner, is_superuser, role } of rows) {
    await client.query(`set local role ${escapeIdentifier(owner)}`).catch((cause: unknown) => {
      if (!(cause instanceof DatabaseError) || cause.code !== INSUFFICIENT_PRIVILEGE) throw cause;
      // A superuser is never to be granted to the role of the service.
      const other = is_superuser ? '' : `, or grant ${owner} to ${role}`;
      throw new FailedMigration(
        `The tables belong to the role ${owner}, and ${role} may not act as it: make ${role} their owner${other}`,
        { cause },
      );
    });
  }
}

/**
 * Waits for other migrations; the lock is held until the transaction ends.
 * @returns the migrations that were applied
 * @throws {UnfitSchema} when they are not the first ones of `migrations`
 * @throws {FailedMigration} when the tables belong to a role that this one may not act as, or that may create none
 */
async function lockSchema(
  client: Session,
  migrations: readonly Migration[],
): Promise<readonly AppliedMigration[]> {
  await client.query('select pg_advisory_xact_lock($1)', [LOCKS.migration]);
  await becomeOwner(client);
  const [denied] = (await client.query<{ advice: string }>(MAY_NOT_CREATE)).rows;
  if (denied) throw new FailedMigration(`The schema cannot be brought up to date: ${denied.advice}`);
  await client.query(PREPARE_TABLE);
  const applied = await readApplied(client);
  const schema = judgeSchema(applied, migrations);
  if (schema.state === 'ahead' || schema.state === 'conflict') throw new UnfitSchema(schema);
  return applied;
}

/**
 * Applies missing migrations up to a version, or all, in the caller's transaction.
 * @throws {UnfitServer} before anything is changed
 * @throws {UnfitSchema} when the schema is newer than that version or was made by other migrations
 * @throws {FailedMigration}
 * @throws {InterruptedMigration}
 */
export async function migrateWithin(client: Session, upTo = Infinity): Promise<void> {
  await requireFitServer(client);
  const wanted = RELEASED.filter(({ version }) => version <= upTo);
  const applied = await lockSchema(client, wanted);
  for (const migration of wanted.slice(applied.length)) await apply(client, migration);
}

/** Migrations that were applied without a checksum are assumed to be those of this release. */
async function adoptChecksums(
  client: Session,
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): Promise<void> {
  for (const [at, { version, checksum }] of applied.entries()) {
    if (checksum) continue;
    const text = 'update schema_migrations set checksum = $2 where version = $1';
    await client.query(text, [version, migrations[at]!.checksum]);
  }
}

async function apply(client: Session, { version, name, text, checksum }: Migration): Promise<void> {
  try {
    if (await isDistributed(client)) await applyOnShards(client, text);
    else await client.query(text);
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      version,
      name,
      checksum,
    ]);
  } catch (cause) {
    if (toUnavailable(cause) instanceof DatabaseUnavailable) throw new InterruptedMigration(name, cause);
    const isOthers = reasonOf(cause).startsWith('must be owner of');
    const advice = isOthers ? ': give it to the role that owns the table schema_migrations' : '';
    const message = `Migration ${name} failed and was rolled back: ${reasonOf(cause)}${advice}`;
    throw new FailedMigration(message, { cause });
  }
}

/** Whether a table exists in the schema of the service, without a lock on it. */
export async function hasTable(client: Pool | ClientBase, name: string): Promise<boolean> {
  return (await client.query('select 1 where to_regclass($1) is not null', [name])).rowCount === 1;
}

/** The applied migrations in order of version. Selects all columns, because older tables have no checksum column. */
export async function readApplied(client: Pool | ClientBase): Promise<AppliedMigration[]> {
  if (!(await hasTable(client, 'schema_migrations'))) return [];
  return (await client.query<AppliedMigration>('select * from schema_migrations order by version')).rows;
}

/** How applied migrations compare to those of this release. */
export function judgeSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[] = RELEASED,
): SchemaState {
  const version = applied.at(-1)?.version ?? 0;
  const known = migrations.at(-1)?.version ?? 0;
  const found = `schema version ${version}, this release knows ${known}`;
  if (version > known) {
    const advice = 'start the newer release, or restore a backup made before the upgrade';
    return { state: 'ahead', found, advice };
  }
  const conflict = findConflict(applied, migrations);
  if (conflict) return { state: 'conflict', ...conflict };
  const state = version === known ? 'current' : 'behind';
  return { state, found, advice: 'run kundebok migrate, or wait for a service that is starting' };
}

/** The applied migrations must be the first ones of this release, unchanged. */
function findConflict(applied: readonly AppliedMigration[], migrations: readonly Migration[]) {
  for (const [at, { version, name, checksum }] of applied.entries()) {
    const own = migrations[at]!;
    if (own.version < version) {
      return {
        found: `migration ${own.name} has a lower number than ${name}, which was applied already`,
        advice: 'give it the next free number',
      };
    }
    if (own.name !== name) {
      return {
        found: `migration ${name} was applied, and this release does not have it`,
        advice: 'start the release that has it',
      };
    }
    if (checksum && own.checksum !== checksum) {
      return {
        found: `migration ${name} was changed after it was applied`,
        advice: 'restore the file, and make the change in a new migration',
      };
    }
  }
  return undefined;
}
