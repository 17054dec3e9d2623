import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../db/embedded/errors.ts';
import { syncFolder } from '../db/embedded/files.ts';
import { CommandError } from './output.ts';

/** The suffix of a file until it is complete. */
const PARTIAL = '.partial';

/** Only the owner may read files with personal data and keys. */
const MODE = 0o600;

const REASONS: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its path leads through a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of its disk is used up',
};

/** Some network drives cannot sync a folder, and an unreadable folder cannot be opened. The file itself is synced. */
const UNSYNCABLE = ['EACCES', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF'];

/** Some network drives and memory cards have no hard links. */
const UNLINKABLE = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Creates a file that is complete or absent: it is written and synced under another name, and then gets its own name.
 * @throws {CommandError} when it already exists or cannot be written
 */
export async function createFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const exists = `${path} already exists: choose another name, or remove it first`;
  if (existsSync(path)) throw new CommandError(exists);
  const partial = `${path}.${randomBytes(4).toString('hex')}${PARTIAL}`;
  try {
    await using file = await open(partial, 'wx', MODE);
    const result = await write(file);
    await file.sync();
    await giveName(partial, path).catch((cause: unknown) => {
      throw hasCode(cause, 'EEXIST') ? new CommandError(exists, { cause }) : cause;
    });
    await syncFolder(dirname(path)).catch(async (error: unknown) => {
      if (hasCode(error, ...UNSYNCABLE)) return;
      await rm(path, { force: true });
      throw error;
    });
    return result;
  } catch (cause) {
    // A file that cannot be removed ends in .partial. The first error is the one to report.
    await rm(partial, { force: true }).catch(() => {});
    const reason =
      cause instanceof Error && 'syscall' in cause && 'code' in cause && REASONS[String(cause.code)];
    throw reason ? new CommandError(`${path} cannot be written: ${reason}`, { cause }) : cause;
  }
}

/** Unlike a rename, a link does not replace a file that another process has made meanwhile. */
async function giveName(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (error) {
    if (!hasCode(error, ...UNLINKABLE)) throw error;
    return rename(partial, path);
  }
  await rm(partial);
}
