import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { databaseUrl, dropDatabase, openClient, runSql } from './database.ts';
import { isRunning, keepTemplate, useKeptPostgres } from './kept-postgres.ts';
import { placeForFiles } from './memory.ts';
import { startTestPostgres } from './test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests find PostgreSQL, how its databases' names begin, and the migrated one that each file clones. */
    postgres: {
      url: string;
      prefix: string;
      template: string;
      /** Whether each file gets a database on all nodes of a cluster, in place of a clone. */
      isCitus: boolean;
    };
  }
}

/**
 * Finds PostgreSQL for the tests: the server that TEST_DATABASE_URL names, with TEST_POSTGRES=kept one that stays up
 * between runs, else one of this run's own. Makes the database that test files clone.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, template, stop } = await openServer();
  // The id of this process tells a later run whether the databases have been abandoned.
  const prefix = `kundebok_${process.pid}_${randomBytes(6).toString('hex')}_`;
  const isCitus = await hasCitus(url);
  const provide = async () =>
    project.provide('postgres', { url, prefix, template: await template(prefix), isCitus });
  const end = async () => {
    await dropAll(url, prefix);
    await stop();
  };
  try {
    await provide();
  } catch (error) {
    await end();
    throw error;
  }
  project.onTestsRerun(provide);
  return end;
}

async function hasCitus(url: string): Promise<boolean> {
  await using client = await openClient(url);
  return (await client.query("select from pg_extension where extname = 'citus'")).rowCount === 1;
}

/** Drops all databases of the run, also those that an interrupted file left behind. */
async function dropAll(url: string, prefix: string): Promise<void> {
  await using client = await openClient(url);
  const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
    prefix,
  ]);
  for (const { datname } of rows) await dropDatabase(url, datname);
}

type TestServer = {
  url: string;
  /** Makes sure that there is a database to clone. @returns its name */
  template: (prefix: string) => Promise<string>;
  stop: () => Promise<void>;
};

async function openServer(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, template: makeTemplate(given), stop: async () => {} };
  if (process.env['TEST_POSTGRES'] === 'kept') {
    const url = await useKeptPostgres();
    return { url, template: () => keepTemplate(url), stop: async () => {} };
  }
  const folder = await useOwnFolder();
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const server = await startTestPostgres(await mkdtemp(join(folder, 'postgres-')));
    const stop = async () => {
      await server.stop();
      await removeFolder();
    };
    return { url: server.url, template: makeTemplate(server.url), stop };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/** The folder's name begins so; the id of the run's process follows, which tells a later run if it is abandoned. */
const FOLDER = 'kundebok-run-';

/** Has this process and the workers it starts keep temporary files in one folder, and removes those of killed runs. */
async function useOwnFolder(): Promise<string> {
  const place = await placeForFiles('free');
  for (const name of await readdir(place)) {
    if (name.startsWith(FOLDER) && !isRunning(Number(name.split('-')[2])))
      await rm(join(place, name), { recursive: true, force: true });
  }
  const folder = await mkdtemp(join(place, `${FOLDER}${process.pid}-`));
  // The mode of the system's own folder, because PostgreSQL and some tests run as other users.
  await chmod(folder, 0o1777);
  return (process.env['TMPDIR'] = folder);
}

/** Makes the run's own template, once. */
function makeTemplate(url: string): TestServer['template'] {
  let made: Promise<string> | undefined;
  return (prefix) => (made ??= make(`${prefix}template`));

  async function make(name: string): Promise<string> {
    // Not imported above: it loads Kysely, which a run on the kept server need not wait for.
    const { migrate } = await import('../src/db/migrate.ts');
    await runSql(url, `create database ${name}`);
    await migrate(databaseUrl(url, name));
    return name;
  }
}
