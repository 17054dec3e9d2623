import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { DatabaseError, type ClientBase, type Pool } from 'pg';
import { LOCKS } from './locks.ts';
import { BEGIN_UNLIMITED, connectionSettings, Session } from './session.ts';
import { DatabaseUnavailable, toUnavailable } from './unavailable.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

type Migration = { version: number; name: string };

/** Migrations this release knows, in order; read once, so that an upgrade in place does not confuse what runs. */
const MIGRATIONS: readonly Migration[] = readdirSync(FOLDER)
  .filter((name) => /^\d{4}_.*\.sql$/.test(name))
  .toSorted()
  .map((name) => ({ version: Number(name.slice(0, 4)), name }));

const WANTED = MIGRATIONS.at(-1)?.version ?? 0;

/** The schema in the database was made by a newer release of the service than this one. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
}

/**
 * Brings the schema up to this release: each missing migration in a transaction of its own, under a lock, so
 * that any number of processes may start at once. Nothing happens when there is nothing to do.
 * @returns names of the migrations that were carried out
 * @throws {SchemaTooNew} when the schema is ahead of this release; nothing is changed then
 * @throws {DatabaseUnavailable}
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new Session({ ...connectionSettings(url), query_timeout: 0 });
  await client.connect();
  const done: string[] = [];
  try {
    // A database that takes no writes needs none while its schema is current.
    while ((await schemaState(client)).state !== 'current') {
      const name = await applyNext(client);
      if (name !== undefined) done.push(name);
    }
    return done;
  } catch (cause) {
    throw toUnavailable(cause);
  } finally {
    await client.end();
  }
}

/** How the schema stands to this release: `current`, or what has to be done. */
export async function schemaState(
  client: Pool | ClientBase,
): Promise<{ state: 'current' | 'behind' | 'ahead'; version: number; wanted: number }> {
  const exists = await client.query<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  const version = exists.rows[0]?.there ? await appliedVersion(client) : 0;
  const state = version === WANTED ? 'current' : version < WANTED ? 'behind' : 'ahead';
  return { state, version, wanted: WANTED };
}

/** The lock belongs to the transaction: a pooler may give the next one another connection. */
async function applyNext(client: Session): Promise<string | undefined> {
  await client.query(BEGIN_UNLIMITED);
  try {
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.migration]);
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, name text not null, applied_at timestamptz not null default now())',
    );
    const version = await appliedVersion(client);
    refuseNewer(version);
    const next = MIGRATIONS.find((migration) => migration.version > version);
    if (next) await apply(client, next);
    await client.query('commit');
    return next?.name;
  } catch (cause) {
    await client.query('rollback').catch(() => {});
    throw cause;
  }
}

async function apply(client: Session, { version, name }: Migration): Promise<void> {
  const text = await readFile(new URL(name, FOLDER), 'utf8');
  try {
    await client.query(text);
    await client.query('insert into schema_migrations (version, name) values ($1, $2)', [version, name]);
  } catch (cause) {
    const failure = toUnavailable(cause);
    if (failure instanceof DatabaseUnavailable) throw failure;
    if (lacksIcu(cause)) {
      throw new Error(
        `migration ${name} needs the collations of ICU, which this PostgreSQL does not have: use one built with ICU and a database in UTF-8, then start again`,
        { cause },
      );
    }
    throw new Error(`migration ${name} failed and was rolled back`, { cause });
  }
}

/** Names are sorted as Norwegian does and searched without accents, which takes ICU and UTF-8. */
function lacksIcu(cause: unknown): boolean {
  if (!(cause instanceof DatabaseError)) return false;
  return (
    (cause.code === '42704' && cause.message.includes('-icu"')) ||
    (cause.code === '0A000' && cause.message.includes('UTF8'))
  );
}

async function appliedVersion(client: Pool | ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from schema_migrations',
  );
  return rows[0]?.version ?? 0;
}

function refuseNewer(version: number): void {
  if (version > WANTED) {
    throw new SchemaTooNew(
      `the database has schema version ${version}, this release knows ${WANTED}: start the newer release, or restore a backup made before the upgrade`,
    );
  }
}
