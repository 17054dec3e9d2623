import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from './service.ts';

/** How many tests of a file of the test suite have passed, failed, and were skipped. */
export type FileResult = { passed: number; failed: string[]; skipped: number };

type Report = {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
};

/** Sequences that the model is compared with, of some sixty steps each. */
const MODEL_RUNS = 1_700;
const LIMIT_MS = 30 * 60_000;

/** Runs files of the test suite, all at once. @returns what became of each, by its path */
export async function runFiles(files: readonly string[], scale: number): Promise<Map<string, FileResult>> {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-faults-'));
  const output = join(folder, 'report.json');
  const reporter = ['--reporter=json', `--outputFile=${output}`];
  const runs = String(Math.max(10, Math.round(MODEL_RUNS * scale)));
  const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), ['run', ...reporter, ...files], {
    cwd: ROOT,
    env: { ...process.env, MODEL_RUNS: runs },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: LIMIT_MS,
  });
  await once(child, 'close');
  try {
    const { testResults } = JSON.parse(await readFile(output, 'utf8')) as Report;
    return new Map(testResults.map((each) => [relative(ROOT, each.name), summarise(each)]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function summarise({ status, message, assertionResults }: Report['testResults'][number]): FileResult {
  const named = (wanted: string) => assertionResults.filter((each) => each.status === wanted);
  const failed = named('failed').map(({ fullName }) => fullName);
  const passed = named('passed').length;
  // A file that does not load has no tests.
  if (status === 'failed' && failed.length === 0) failed.push(message);
  return { passed, failed, skipped: assertionResults.length - passed - named('failed').length };
}
