import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../src/db/embedded.ts';
import { migrate } from '../src/db/migrate.ts';
import { usedBy } from './lists-cost.ts';
import { seed, type Sizes, type BenchWorkspace } from './seed.ts';

const DATABASE = 'kundebok_bench';

/** A PostgreSQL with a filled database, for one run of the bench. */
export type BenchDatabase = {
  url: string;
  /** Folder of the embedded PostgreSQL; undefined for one that was given. */
  dataDir: string | undefined;
  /** Processor time of all its processes so far, in microseconds; NaN where a PostgreSQL was given. */
  used(): number;
  large: BenchWorkspace;
  thousand: BenchWorkspace;
  /** Stops the embedded PostgreSQL and keeps its folder. */
  stop(): Promise<void>;
  /** Leaves nothing behind. */
  remove(): Promise<void>;
};

/**
 * Makes and fills the database.
 * @param given address of a PostgreSQL whose database kundebok_bench may be dropped and created again; without it
 *   the embedded one is started in a new folder, as the service would start it
 */
export async function openDatabase(given: string | undefined, sizes: Sizes): Promise<BenchDatabase> {
  const place = given === undefined ? await embedded() : await elsewhere(given);
  await migrate(place.url);
  const client = new Client({ connectionString: place.url });
  await client.connect();
  try {
    return { ...place, ...(await seed(client, sizes)) };
  } finally {
    await client.end();
  }
}

async function embedded() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kundebok-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
  const postmaster = readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n', 1)[0]!;
  return {
    url: server.url,
    dataDir,
    used: () => usedByAll(Number(postmaster)),
    stop: () => server.stop(),
    async remove() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function elsewhere(given: string) {
  await execute(given, `drop database if exists ${DATABASE} with (force)`, `create database ${DATABASE}`);
  const url = new URL(given);
  url.pathname = `/${DATABASE}`;
  return {
    url: url.href,
    dataDir: undefined,
    used: () => NaN,
    stop: async () => {},
    remove: () => execute(given, `drop database if exists ${DATABASE} with (force)`),
  };
}

/** Microseconds of processor time of a process and of its children that run, on this machine (Linux). */
function usedByAll(parent: number): number {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  // A child that has ended meanwhile, such as an autovacuum worker, is left out.
  const running = children.filter((pid) => existsSync(`/proc/${pid}`));
  return [parent, ...running].reduce((sum, pid) => sum + usedBy(pid) * 1e3, 0);
}

async function execute(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}
