import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Runs `work` as the owner of a folder where this process is root. New files then belong to the owner, and a link that
 * the owner put there cannot lead root to files that are not the owner's.
 * @param work must be synchronous: the whole process is that user meanwhile
 */
export function asOwnerOf<T>(folder: string, work: () => T): T {
  const { uid, gid } = statSync(folder);
  if (uid === 0 || process.geteuid?.() !== 0) return work();
  const [ownGid, groups] = [process.getegid!(), process.getgroups!()];
  try {
    process.setgroups!([gid]);
    process.setegid!(gid);
    process.seteuid!(uid);
    return work();
  } finally {
    process.seteuid!(0);
    process.setegid!(ownGid);
    process.setgroups!(groups);
  }
}

/** Writes a small file so that it is there whole or not at all, even after a power failure. */
export async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const folder = dirname(path);
  asOwnerOf(folder, () => {
    const draft = `${path}.${process.pid}.new`;
    try {
      writeFileSync(draft, text, { mode: 0o600, flush: true });
      chmodSync(draft, mode);
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  });
  await syncFolder(folder);
}

/** Makes a rename in `folder` survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
