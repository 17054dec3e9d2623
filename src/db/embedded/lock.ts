import { chmodSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DataDirInUse } from './errors.ts';
import { asOwnerOf, writeDurably } from './files.ts';

// SQLite's lock on a file (fcntl), since Node has no other lock that the kernel releases when the process dies:
// neither kill -9 nor a reused pid can leave it behind. Nothing is stored in the file. It must never be opened
// by other means in this process: closing it would release the lock.
const LOCK_FILE = 'service.lock';
const PID_FILE = 'service.pid';

/** Long enough for a process that was just killed to be gone. */
const LOCK_TIMEOUT_MS = 500;
const SQLITE_BUSY = 5;

/**
 * Locks the folder for this process until the returned function is called or the process dies. PostgreSQL itself
 * keeps a second server off its data, but not a second service.
 * @throws {DataDirInUse} when another process (or another caller in this one) has it
 */
export async function lockFolder(folder: string, dataDir: string): Promise<() => Promise<void>> {
  const file = join(folder, LOCK_FILE);
  const pidFile = join(folder, PID_FILE);
  let lock: DatabaseSync;
  try {
    lock = asOwnerOf(folder, () => lockFile(file));
  } catch (error) {
    if (!isBusy(error)) throw error;
    const pid = await readFile(pidFile, 'utf8').catch(() => '');
    const holder = /^\d+$/.test(pid) ? `the process with pid ${pid}` : 'another process';
    throw new DataDirInUse(
      `${dataDir} is in use by ${holder}: stop that one first, or give this one a DATA_DIR of its own`,
      { cause: error },
    );
  }
  // The file is for people only: a full disk must not stop the start.
  await writeDurably(pidFile, String(process.pid), 0o644).catch(() => {});
  return async () => {
    await rm(pidFile, { force: true });
    lock.close();
  };
}

function lockFile(file: string): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
  try {
    lock.exec('begin exclusive');
    // Anyone who can read the file could lock it.
    chmodSync(file, 0o600);
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Whether a process has locked the folder. Does not lock or wait.
 * @throws when this user may not look into the folder
 */
export function isLocked(folder: string): boolean {
  const file = join(folder, LOCK_FILE);
  // Unlike existsSync, throws where this user may not look.
  if (!statSync(file, { throwIfNoEntry: false })) return false;
  using lock = new DatabaseSync(file, { readOnly: true });
  try {
    lock.prepare('select count(*) from sqlite_master').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
