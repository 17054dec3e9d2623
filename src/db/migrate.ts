import { readdir, readFile } from 'node:fs/promises';
import { Client, type Pool } from 'pg';
import { connectionSettings } from './connect.ts';
import { LOCKS } from './locks.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

type Migration = { version: number; name: string; text: string };

/** The schema in the database was made by a newer release of the service than this one. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
}

/** Migrations this release knows, in order: the files of `migrations/`. */
async function knownMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => ({
      version: Number(name.slice(0, 4)),
      name,
      text: await readFile(new URL(name, FOLDER), 'utf8'),
    })),
  );
}

/**
 * Brings the schema up to this release: each missing migration in a transaction of its own, under a lock, so
 * that any number of processes may start at once. Nothing happens when there is nothing to do.
 * @returns names of the migrations that were carried out
 * @throws {SchemaTooNew} when the schema is ahead of this release; nothing is changed then
 */
export async function migrate(url: string): Promise<string[]> {
  const migrations = await knownMigrations();
  // A migration may take its time on a large table; waiting for another process's migration may too.
  const client = new Client({
    ...connectionSettings(url),
    statement_timeout: 0,
    query_timeout: 0,
    lock_timeout: 0,
  });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCKS.migration]);
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, name text not null, applied_at timestamptz not null default now())',
    );
    const done = await appliedVersion(client);
    refuseNewer(done, migrations);
    const missing = migrations.filter((migration) => migration.version > done);
    for (const migration of missing) await apply(client, migration);
    return missing.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

/** How the schema stands to this release: `current`, or what has to be done. */
export async function schemaState(
  client: Pool | Client,
): Promise<{ state: 'current' | 'behind' | 'ahead'; version: number; wanted: number }> {
  const wanted = (await knownMigrations()).at(-1)?.version ?? 0;
  const exists = await client.query<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  const version = exists.rows[0]?.there ? await appliedVersion(client) : 0;
  const state = version === wanted ? 'current' : version < wanted ? 'behind' : 'ahead';
  return { state, version, wanted };
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.text);
    await client.query('insert into schema_migrations (version, name) values ($1, $2)', [
      migration.version,
      migration.name,
    ]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    throw new Error(`migration ${migration.name} failed and was rolled back`, { cause });
  }
}

async function appliedVersion(client: Pool | Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from schema_migrations',
  );
  return rows[0]?.version ?? 0;
}

function refuseNewer(done: number, migrations: Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  if (done > newest) {
    throw new SchemaTooNew(
      `the database has schema version ${done}, this release knows ${newest}: start the newer release, or restore a backup made before the upgrade`,
    );
  }
}
