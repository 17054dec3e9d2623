import { chmod, chown, open, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a small file so that it is there whole or not at all, even after a power cut. Belongs to the owner
 * of its folder, so that root can work on an ordinary user's DATA_DIR without locking that user out.
 */
export async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await chmod(draft, mode);
  await giveToOwnerOf(dirname(path), draft);
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** As root, gives `path` to the owner of `folder`; does nothing as an ordinary user. */
export async function giveToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const owner = await stat(folder);
  await chown(path, owner.uid, owner.gid);
}

/** Makes a rename in `folder` survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
