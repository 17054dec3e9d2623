import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, ftruncateSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { findEmbeddedPostgres } from '../../src/db/embedded.ts';
import { createWorkspace } from '../workspace.ts';
import { startJournal } from './journal.ts';
import { takeNotes, until, type Outcome } from './outcome.ts';
import { NODE_COMPILE_CACHE, ROOT, startService } from './service.ts';
import { newFolder } from './stage.ts';

const MB = 1_024 ** 2;
/** Room for a new database and some dozens of megabytes of its write-ahead log. */
const DISK_MB = 160;

/** Test 30: the disk that holds DATA_DIR fills up while clients write, and again for a backup. */
export async function fillDisk({
  refusals,
  writers,
}: {
  refusals: number;
  writers?: number;
}): Promise<Outcome> {
  const notes = takeNotes();
  await using stops = new AsyncDisposableStack();
  const disk = await mountDisk(stops);
  if (disk === undefined) {
    notes.skip('no file system can be mounted here: no full disk was tried');
    return notes;
  }
  const folder = join(disk, 'data');
  await mkdir(folder);
  const service = await startService({ DATA_DIR: folder });
  stops.defer(async () => void (await service.stop()));
  const url = await findEmbeddedPostgres(folder);
  const pool = new Pool({ connectionString: url, max: 2 }).on('error', () => {});
  stops.defer(() => pool.end());
  const query = async (text: string, values?: unknown[]) => (await pool.query(text, values)).rows;
  const workspace = await createWorkspace(query, service);
  const journal = await startJournal(workspace.client, workspace, writers);
  stops.defer(() => journal.stop());
  await until('writes go on', () => journal.acknowledged() > 40);
  const backup = await backUp(folder, join(disk, 'whole.backup'));
  const filler = fill(disk);
  const since = journal.answers.length;
  const refused = () => journal.answers.slice(since).filter(({ status }) => status === 503).length;
  await until('writes are refused', () => refused() >= refusals);
  const live = await service.probe('/healthz');
  rmSync(filler);
  const room = fill(disk, 16 * 1_024);
  const failed = await backUp(folder, join(disk, 'half.backup'));
  rmSync(room);
  const before = journal.acknowledged();
  await until('writes go on', () => journal.acknowledged() > before + 16);
  await journal.compare({ query }, notes);
  notes.demand(service.isRunning() && live === 200, 'process alive, /healthz', live);
  notes.demand(backup.code === 0, 'a backup before, exit code', backup.code);
  const isTold = failed.code === 1 && /disk is full/.test(failed.stderr);
  notes.demand(isTold, 'a backup to a full disk', failed.stderr.trim());
  const left = readdirSync(disk).filter((name) => name.startsWith('half'));
  notes.demand(left.length === 0, 'what it left', left);
  return notes;
}

/** Mounts a small disk in memory until the test ends. @returns undefined where none can be mounted */
async function mountDisk(stops: AsyncDisposableStack): Promise<string | undefined> {
  const folder = await newFolder(stops);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    return undefined;
  }
  const unmount = () => void execFileSync('umount', ['--lazy', folder]);
  process.once('exit', unmount);
  stops.defer(() => {
    process.off('exit', unmount);
    unmount();
  });
  return folder;
}

/** Writes a file until the disk is full. @param left bytes that stay free */
function fill(disk: string, left = 0): string {
  const path = join(disk, 'filler');
  const file = openSync(path, 'w');
  try {
    for (let size = 4 * MB; size >= 512; size /= 2) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size, 1));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
    if (left > 0) ftruncateSync(file, fstatSync(file).size - left);
  } finally {
    closeSync(file);
  }
  return path;
}

/** Runs `kundebok backup` beside the service. */
async function backUp(dataDir: string, path: string): Promise<{ code: number | null; stderr: string }> {
  const { PATH = '', HOME = '/' } = process.env;
  const child = spawn(`${ROOT}bin/kundebok`, ['backup', path], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: dataDir },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = await once(child, 'close');
  return { code: code as number | null, stderr };
}
