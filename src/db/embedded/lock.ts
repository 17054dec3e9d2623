import { chmodSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
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
  const pidFile = join(folder, PID_FILE);
  const lock = asOwnerOf(folder, () => openLock(folder, 'begin exclusive', { timeout: LOCK_TIMEOUT_MS }));
  if (!lock) {
    const pid = await readFile(pidFile, 'utf8').catch(() => '');
    const holder = /^\d+$/.test(pid) ? `the process with pid ${pid}` : 'another process';
    throw new DataDirInUse(
      `${dataDir} is in use by ${holder}: stop that one first, or give this one a DATA_DIR of its own`,
    );
  }
  // The file is for people only: a full disk must not stop the start.
  await writeDurably(pidFile, String(process.pid), 0o644).catch(() => {});
  return async () => {
    await rm(pidFile, { force: true });
    lock.close();
  };
}

/**
 * Whether a process has locked the folder. Does not lock or wait.
 * @throws when this user may not look into the folder
 */
export function isFolderLocked(folder: string): boolean {
  // Unlike existsSync, throws where this user may not look.
  if (!statSync(join(folder, LOCK_FILE), { throwIfNoEntry: false })) return false;
  using lock = openLock(folder, 'select count(*) from sqlite_master', { readOnly: true });
  return lock === undefined;
}

/** @returns undefined when the file is locked */
function openLock(folder: string, statement: string, options: DatabaseSyncOptions): DatabaseSync | undefined {
  const file = join(folder, LOCK_FILE);
  const lock = new DatabaseSync(file, options);
  try {
    lock.exec(statement);
    // Anyone who can read the file could lock it.
    if (!options.readOnly) chmodSync(file, 0o600);
    return lock;
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
