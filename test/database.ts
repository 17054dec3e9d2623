import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { readConnection, superuserUrl } from '../src/db/embedded/connection.ts';
import { findHome } from '../src/db/embedded/home.ts';
import { startEmbeddedPostgres } from '../src/db/embedded.ts';
import { migrate } from '../src/db/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests find PostgreSQL, what its databases begin with, and the migrated one that each file clones. */
    postgres: { url: string; prefix: string; template: string };
  }
}

/** A dead machine loses nothing that a test needs, so nothing waits for the disk. */
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
};

/** Starts PostgreSQL (or takes the one TEST_DATABASE_URL names) and makes the database that files clone. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const prefix = `kundebok_${randomBytes(6).toString('hex')}_`;
  const template = `${prefix}template`;
  const end = async () => {
    await dropAll(server.url, prefix);
    await server.stop();
  };
  try {
    await runSql(server.url, `create database ${template}`);
    await migrate(databaseUrl(server.url, template));
  } catch (error) {
    await end();
    throw error;
  }
  project.provide('postgres', { url: server.url, prefix, template });
  return end;
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on a connection of its own. */
export async function runSql(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Also what a file left behind that was stopped half-way. */
async function dropAll(url: string, prefix: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
      prefix,
    ]);
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
  } finally {
    await client.end();
  }
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, stop: async () => {} };
  const dataDir = await mkdtemp(join(tmpdir(), 'kundebok-test-'));
  const removeFolder = () => rm(dataDir, { recursive: true, force: true });
  const heard: string[] = [];
  try {
    const log = pino({}, { write: (line: string) => void heard.push(line) });
    const server = await startEmbeddedPostgres({ dataDir, log, settings: FAST });
    const stop = async () => {
      await server.stop();
      await removeFolder();
    };
    return { url: await createTestRole(dataDir), stop };
  } catch (cause) {
    await removeFolder();
    throw new Error(`PostgreSQL for the tests did not start:\n${heard.join('')}`, { cause });
  }
}

/** The service's own role may create nothing beside its database; tests need one that creates databases. */
async function createTestRole(dataDir: string): Promise<string> {
  const connection = await readConnection((await findHome(dataDir)) ?? '');
  if (connection === undefined) throw new Error('the embedded PostgreSQL has recorded no connection');
  const superuser = superuserUrl(connection);
  await runSql(superuser, `create role tests login createdb password '${connection.password}'`);
  return Object.assign(new URL(superuser), { username: 'tests', password: connection.password }).href;
}
