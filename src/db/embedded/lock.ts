import { existsSync } from 'node:fs';
import { chmod, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveToOwnerOf, writeDurably } from './files.ts';

// The lock is the one SQLite takes on a file (fcntl): Node offers no other that the kernel releases when the
// process dies, so that neither kill -9 nor a reused pid can leave it behind. Nothing is stored in the file,
// and it must never be opened by other means in this process: closing it would drop the lock.
const LOCK_FILE = 'service.lock';
const PID_FILE = 'service.pid';

// Long enough for a process that was just killed to be gone.
const PATIENCE_MS = 500;

export type FolderLock = { release(): Promise<void> };

/**
 * Takes the folder for this process, until `release` or the death of the process.
 * @returns undefined when another process (or another caller in this one) has it
 */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const file = join(folder, LOCK_FILE);
  const pidFile = join(folder, PID_FILE);
  const lock = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    lock.exec('begin exclusive');
    // Whoever may read the lock file may hold the lock.
    await chmod(file, 0o600);
    await giveToOwnerOf(folder, file);
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  // For people to read only: a full disk is no reason to stop here.
  await writeDurably(pidFile, String(process.pid), 0o644).catch(() => {});
  return {
    async release() {
      await rm(pidFile, { force: true });
      lock.close();
    },
  };
}

/** Whether a process has taken the folder. Takes nothing itself and does not wait. */
export function isLocked(folder: string): boolean {
  const file = join(folder, LOCK_FILE);
  if (!existsSync(file)) return false;
  using lock = new DatabaseSync(file, { readOnly: true });
  try {
    lock.prepare('select count(*) from sqlite_master').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

/** The pid that the holder of the folder wrote down. */
export async function lockHolder(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, PID_FILE), 'utf8').catch(() => '');
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}
