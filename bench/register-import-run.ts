import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../bin/kundebok', import.meta.url));
const REPORT = new URL('report-usage.ts', import.meta.url).href;

export type ImportRun = {
  units: number;
  /** From the file to the mirror in service. */
  seconds: number;
  /** Processor time of the process of the import, in seconds. */
  cpu: number;
  /** The most memory that this process ever held, in bytes. */
  peakRss: number;
};

/** Imports a file as an operator does. */
export async function runImport(databaseUrl: string, file: string): Promise<ImportRun> {
  const child = spawn(PROGRAM, ['register', 'import', file, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, NODE_OPTIONS: `--import=${REPORT}` },
  });
  const [result, usage] = await Promise.all([
    json(child.stdout!) as Promise<{ units: number; seconds: number }>,
    json(child.stdio[3] as Readable) as Promise<NodeJS.ResourceUsage>,
    once(child, 'exit'),
  ]);
  return {
    units: result.units,
    seconds: result.seconds,
    cpu: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
    peakRss: usage.maxRSS * 1_024,
  };
}
