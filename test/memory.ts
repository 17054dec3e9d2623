import { readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const MIN_MEMORY_BYTES = 4 * 1024 ** 3;

/**
 * The folder for temporary files: in memory where that is large enough, else the system's own. To clone a database in
 * memory takes a tenth of the processor time that it takes on a disk.
 * @param what the space that has to be large enough: `whole` gives later runs the same folder, `free` may not
 */
export async function placeForFiles(what: 'free' | 'whole'): Promise<string> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const options = mounts.split('\n').find((line) => line.split(' ')[1] === MEMORY);
  // Some tests run programs from there.
  if (options === undefined || options.includes('noexec')) return tmpdir();
  const { bavail, blocks, bsize } = await statfs(MEMORY);
  return (what === 'free' ? bavail : blocks) * bsize >= MIN_MEMORY_BYTES ? MEMORY : tmpdir();
}
