import { pino } from 'pino';
import { readConnection, superuserUrl } from '../src/db/embedded/connection.ts';
import { findHome } from '../src/db/embedded/home.ts';
import { startEmbeddedPostgres } from '../src/db/embedded.ts';
import { openClient } from './database.ts';

/** A dead machine loses nothing that a test needs, so nothing waits for the disk. */
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  // Each connection of the tests would hash its password 4096 times.
  scram_iterations: '1',
};

/** A server for tests, with the address of a role that may create databases. */
type TestPostgres = { url: string; stop(): Promise<void> };

/** Starts one on a folder of its own. @throws with what PostgreSQL said */
export async function startTestPostgres(dataDir: string): Promise<TestPostgres> {
  const heard: string[] = [];
  const log = pino({}, { write: (line: string) => void heard.push(line) });
  try {
    const server = await startEmbeddedPostgres({ dataDir, log, settings: FAST });
    await createTestRole(dataDir);
    return { url: await testRoleUrl(dataDir), stop: () => server.stop() };
  } catch (cause) {
    throw new Error(`PostgreSQL for the tests did not start:\n${heard.join('')}`, { cause });
  }
}

/** The address of the role that tests use on the server of a folder. */
export async function testRoleUrl(dataDir: string): Promise<string> {
  const { superuser, password } = await accessTo(dataDir);
  return Object.assign(new URL(superuser), { username: 'tests', password }).href;
}

/** The service's own role may create nothing beside its database; tests need one that creates databases. */
async function createTestRole(dataDir: string): Promise<void> {
  const { superuser, password } = await accessTo(dataDir);
  await using client = await openClient(superuser);
  const { rowCount } = await client.query("select from pg_roles where rolname = 'tests'");
  if (rowCount === 0) await client.query(`create role tests login createdb password '${password}'`);
}

async function accessTo(dataDir: string): Promise<{ superuser: string; password: string }> {
  const connection = await readConnection((await findHome(dataDir)) ?? '');
  if (connection === undefined) throw new Error('the embedded PostgreSQL has recorded no connection');
  return { superuser: superuserUrl(connection), password: connection.password };
}
