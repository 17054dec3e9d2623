import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { Binaries } from './binaries.ts';
import {
  type Connection,
  newConnection,
  readConnection,
  saveConnection,
  superuserUrl,
} from './connection.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { syncFolder } from './files.ts';
import type { Home } from './home.ts';
import { run } from './run.ts';

const DRAFT = 'init-';

/**
 * Makes sure that `home` holds data that these binaries can serve, and the connection to it. No server runs.
 * @param sync false leaves out flushing the new files to disk
 * @throws {EmbeddedPostgresError} when the data are another major version's, or cannot be made
 */
export async function prepareCluster(home: Home, binaries: Binaries, sync: boolean): Promise<Connection> {
  await removeDrafts(home);
  const hasData = existsSync(home.data);
  if (hasData) await checkVersion(home, binaries);
  const recorded = await readConnection(home.folder);
  const connection = recorded ?? newConnection();
  if (recorded === undefined) {
    // Set before it is recorded, and recorded before there are data: no crash leaves data without their password.
    if (hasData) await resetSuperuser(home, binaries, connection);
    await saveConnection(home.folder, connection);
  }
  if (!hasData) await initialise(home, binaries, connection, sync);
  return connection;
}

/**
 * Makes the service's role and database, or sees to it that they are as they should be. The server runs.
 * The role owns its database and can do nothing beyond it: a hole in the service opens no door to the machine.
 */
export async function ensureDatabase(connection: Connection): Promise<void> {
  const client = await connectTo(superuserUrl(connection));
  try {
    const found = await client.query<{ standby: boolean; role: boolean; database: boolean }>(
      `select pg_is_in_recovery() as standby,
              exists (select from pg_roles where rolname = 'kundebok') as role,
              exists (select from pg_database where datname = 'kundebok') as database`,
    );
    const { standby, role, database } = found.rows[0]!;
    // A standby has what its primary has.
    if (standby) return;
    const password = client.escapeLiteral(connection.password);
    await client.query(`${role ? 'alter' : 'create'} role kundebok login nocreatedb password ${password}`);
    if (!database) await client.query('create database kundebok owner kundebok');
  } finally {
    await client.end();
  }
}

/** @throws what the connection fails with */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect().catch(async (error: unknown) => {
    await client.end();
    throw error;
  });
  return client;
}

/** In a folder of its own, renamed when complete: a crash leaves nothing that a later start takes for data. */
async function initialise(home: Home, binaries: Binaries, connection: Connection, sync: boolean) {
  const draft = join(home.folder, `${DRAFT}${randomBytes(6).toString('hex')}`);
  const passwordFile = join(draft, 'password');
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, connection.superuserPassword, { mode: 0o600 });
  if (home.account !== undefined) {
    const { uid, gid } = home.account;
    await chown(passwordFile, uid, gid);
    await chown(draft, uid, gid);
  }
  const outcome = await run(
    join(binaries.folder, 'bin', 'initdb'),
    [
      `--pgdata=${join(draft, 'data')}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      '--no-instructions',
      ...(sync ? [] : ['--no-sync']),
    ],
    { account: home.account },
  );
  if (outcome.ok) {
    await rename(join(draft, 'data'), home.data);
    await syncFolder(home.folder);
  }
  await rm(draft, { recursive: true, force: true });
  if (!outcome.ok) {
    throw new EmbeddedPostgresError(
      `A new database could not be made in ${home.folder}: ${outcome.complaint}\n` +
        'Put that right, or set DATABASE_URL to a PostgreSQL server of your own',
    );
  }
}

/** An initdb whose service was killed may still be writing: what cannot be removed now is removed next time. */
async function removeDrafts(home: Home): Promise<void> {
  for (const entry of await readdir(home.folder)) {
    if (!entry.startsWith(DRAFT)) continue;
    await rm(join(home.folder, entry), { recursive: true, force: true }).catch(() => {});
  }
}

/** PostgreSQL refuses another version's data too, but does not say what to do. */
async function checkVersion(home: Home, { majorVersion }: Binaries): Promise<void> {
  const found = await readFile(join(home.data, 'PG_VERSION'), 'utf8');
  if (found.trim() === majorVersion) return;
  throw new EmbeddedPostgresError(
    `${home.data} was made by PostgreSQL ${found.trim()} and this release carries PostgreSQL ${majorVersion}: ` +
      'make a backup with the release that wrote it, move the folder away, and restore the backup here',
  );
}

/** connection.json is gone or spoilt; who may write the data may set a new password. */
async function resetSuperuser(home: Home, binaries: Binaries, connection: Connection): Promise<void> {
  const { ok, complaint } = await run(
    join(binaries.folder, 'bin', 'postgres'),
    ['--single', '-D', home.data, 'postgres'],
    { account: home.account, input: `alter role postgres password '${connection.superuserPassword}'\n` },
  );
  if (!ok) throw new EmbeddedPostgresError(`The password of ${home.data} could not be reset: ${complaint}`);
}
