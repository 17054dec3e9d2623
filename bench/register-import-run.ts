import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { fileSource } from '../src/register/mirror/import/source.ts';
import { importRegister, type ImportResult } from '../src/register/mirror/import/import.ts';

export type ImportRun = {
  result: ImportResult;
  seconds: number;
  /** Of its own process, in seconds. */
  cpu: number;
  /** The most its process ever held, in bytes. */
  peakRss: number;
};

const PROGRAM = fileURLToPath(import.meta.url);

/** Imports a file in a process of its own, so that what it holds is nobody else's. */
export async function runImport(databaseUrl: string, file: string): Promise<ImportRun> {
  const child = fork(PROGRAM, [databaseUrl, file]);
  const [[run]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  return run as ImportRun;
}

if (process.argv[1] === PROGRAM) {
  const [, , databaseUrl, file] = process.argv;
  const start = performance.now();
  const result = await importRegister({ databaseUrl: databaseUrl!, sources: [fileSource(file!)] });
  const seconds = (performance.now() - start) / 1_000;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.send?.({ result, seconds, cpu: (userCPUTime + systemCPUTime) / 1e6, peakRss: maxRSS * 1_024 });
  process.disconnect?.();
}
