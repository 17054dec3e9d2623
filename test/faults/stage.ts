import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { createWorkspace, type Workspace } from '../workspace.ts';
import { startPostgres, type Postgres } from './postgres.ts';
import { startService, type Service } from './service.ts';

/** A database and services of one test's own; all of it ends with the test. */
export type Stage = AsyncDisposable & {
  folder: string;
  postgres: Postgres;
  /** Starts another service; it works on the stage's database unless told otherwise. */
  service(settings?: Record<string, string>, log?: number | 'ignore'): Promise<Service>;
  workspace(service: Service): Promise<Workspace>;
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of any table
  query: (text: string, values?: unknown[]) => Promise<any[]>;
  /** Calls `end` when the stage ends, before what was started earlier is stopped. */
  defer(end: () => Promise<unknown> | void): void;
};

export async function openStage(
  options: {
    settings?: Record<string, string>;
    /** The folder of PostgreSQL's data; by default the stage's own. */
    data?: string;
    launcher?: (binaries: string) => Promise<string>;
  } = {},
): Promise<Stage> {
  await using undo = new AsyncDisposableStack();
  const folder = await newFolder(undo);
  const postgres = await startPostgres(options.data ?? folder, options.settings, options.launcher);
  undo.defer(() => postgres.stop());
  const pool = new Pool({ connectionString: postgres.url, max: 4 }).on('error', () => {});
  undo.defer(() => pool.end());
  const query = async (text: string, values?: unknown[]) => (await pool.query(text, values)).rows;
  const stops = undo.move();
  return {
    folder,
    postgres,
    async service(settings = {}, log) {
      const service = await startService({ DATABASE_URL: postgres.url, ...settings }, log);
      stops.defer(async () => void (await service.stop('SIGKILL')));
      return service;
    },
    workspace: (service) => createWorkspace(query, service),
    query,
    defer: (end) =>
      stops.defer(async () => {
        await end();
      }),
    [Symbol.asyncDispose]: () => stops.disposeAsync(),
  };
}

/** A killed process loses nothing that the kernel has already: no test needs a disk, and memory is faster. */
const ROOM = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A folder that PostgreSQL's user can pass through when the tests run as root. */
export async function newFolder(stops: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(ROOM, 'kundebok-faults-'));
  await chmod(folder, 0o755);
  stops.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
