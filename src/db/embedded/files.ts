import { chmod, chown, open, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a small file so that it is there whole or not at all, even after a power failure. */
export async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await chmod(draft, mode);
  await giveToFolderOwner(draft);
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** So that root can work on an ordinary user's DATA_DIR without locking that user out. */
export async function giveToFolderOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}

/** Makes a rename in `folder` survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
