import { readFile } from 'node:fs/promises';

/** The ids of the processes that a process has started and that have not ended. */
export const childrenOf = async (pid: number) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);
