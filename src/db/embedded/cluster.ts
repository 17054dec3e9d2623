import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  type Connection,
  newConnection,
  readConnection,
  saveConnection,
  superuserUrl,
} from './connection.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { asOwnerOf, syncFolder } from './files.ts';
import type { Home } from './home.ts';
import { run } from './run.ts';

const DRAFT = 'init-';

const CONNECT_TIMEOUT_MS = 5_000;

const INITDB_OPTIONS = [
  '--username=postgres',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
];

/**
 * Makes sure that `home` has data and a connection to them. No server may be running.
 * @param isDurable false leaves out flushing the new files to disk
 * @throws {EmbeddedPostgresError} when the data cannot be created
 */
export async function prepareCluster(home: Home, binaries: string, isDurable: boolean): Promise<Connection> {
  removeDrafts(home);
  const hasData = existsSync(home.data);
  const recorded = await readConnection(home.folder);
  const connection = recorded ?? newConnection();
  if (recorded === undefined) {
    // A password is set before it is recorded, and recorded before there are data: no crash leaves data without it.
    if (hasData) await resetSuperuser(home, binaries, connection);
    await saveConnection(home.folder, connection);
  }
  if (!hasData) await initialise(home, binaries, connection, isDurable);
  return connection;
}

/**
 * Creates the service's role and database if they are missing. The server must be running. The role owns its
 * database and can do nothing beyond it: a security hole in the service does not open the machine.
 */
export async function ensureDatabase(connection: Connection): Promise<void> {
  // Not a Session, whose time limits a slow disk could exceed here.
  const client = new Client({
    connectionString: superuserUrl(connection),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => {});
  await client.connect();
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

/** Creates data in a temporary folder, renamed when complete: after a crash, a later start finds no incomplete data. */
async function initialise(home: Home, binaries: string, connection: Connection, isDurable: boolean) {
  const draft = asOwnerOf(home.folder, () => makeDraft(home, connection.superuserPassword));
  try {
    const own = [`--pgdata=${draft.data}`, `--pwfile=${draft.passwordFile}`];
    const options = [...own, ...(isDurable ? [] : ['--no-sync']), ...INITDB_OPTIONS];
    const { ok, complaint } = await run(join(binaries, 'bin', 'initdb'), options, home);
    if (!ok) {
      throw new EmbeddedPostgresError(
        `A new database could not be created in ${home.folder}: ${complaint}\n` +
          'Fix that, or set DATABASE_URL to a PostgreSQL server of your own',
      );
    }
    asOwnerOf(home.folder, () => renameSync(draft.data, home.data));
    await syncFolder(home.folder);
  } finally {
    removeDrafts(home);
  }
}

function makeDraft({ folder, account }: Home, password: string) {
  const path = mkdtempSync(join(folder, DRAFT));
  const passwordFile = join(path, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) for (const each of [passwordFile, path]) chownSync(each, account.uid, account.gid);
  return { data: join(path, 'data'), passwordFile };
}

/** The initdb of a killed service may still be writing. What cannot be removed now is removed at the next start. */
function removeDrafts({ folder }: Home): void {
  asOwnerOf(folder, () => {
    for (const name of readdirSync(folder).filter((name) => name.startsWith(DRAFT))) {
      try {
        rmSync(join(folder, name), { recursive: true, force: true });
      } catch {}
    }
  });
}

/** For data whose connection.json is missing or damaged: a process that can write the data can set a new password. */
async function resetSuperuser(home: Home, binaries: string, connection: Connection): Promise<void> {
  const { ok, complaint } = await run(
    join(binaries, 'bin', 'postgres'),
    ['--single', '-D', home.data, 'postgres'],
    { ...home, input: `alter role postgres password '${connection.superuserPassword}'\n` },
  );
  if (!ok) throw new EmbeddedPostgresError(`The password of ${home.data} could not be reset: ${complaint}`);
}
