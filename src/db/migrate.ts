import { DatabaseError, escapeIdentifier } from 'pg';
import { beginWithLocks } from './await-locks.ts';
import { LOCKS } from './locks.ts';
import { RELEASED, type Migration } from './migrations.ts';
import { requireFitServer } from './fit-server.ts';
import {
  type AppliedMigration,
  findDenial,
  judge,
  judgeSchema,
  readApplied,
  UnfitSchema,
} from './schema-state.ts';
import { type Session, withSession } from './session.ts';
import { applyOnShards, isDistributed } from './sharding/distribute.ts';
import { DatabaseUnavailable, reasonOf, toUnavailable } from './unavailable.ts';

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
  const denied = await findDenial(client);
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
