import { spawn } from 'node:child_process';
import type { BenchDatabase } from './database.ts';
import {
  failuresOf,
  measure,
  median,
  medianRatio,
  type Plan,
  type Round,
  type startLoad,
} from './measure.ts';
import { stop, type Side } from './processes.ts';
import { table } from './report.ts';

const rate = (round: Round) => round.perSecond;

/** Reads of a large workspace may be this many times as slow as those of one with a thousand companies. */
const MOST_SLOWER = 1.25;
const MOST_MS_TO_READY = 2_000;
const STARTS = 5;

/** Asks the service for the same reads in a workspace of a thousand companies and in the largest one. */
export async function compareSizes(
  load: ReturnType<typeof startLoad>,
  side: Side,
  { thousand, large }: BenchDatabase,
  plan: Plan,
): Promise<string[]> {
  const lines = [
    [
      '',
      'req/s',
      `${thousand.companies}`,
      `${large.companies}`,
      'p50 ms ratio',
      'cpu ratio',
      'req/s ratio',
      'not 2xx',
    ],
  ];
  const faults: string[] = [];
  for (const name of ['GET companies, 25', 'GET company by number'] as const) {
    const rounds = await measure(
      load,
      name,
      [
        { side, workspace: thousand },
        { side, workspace: large },
      ],
      plan,
    );
    const slower = 1 / medianRatio(rounds, rate);
    const failures = failuresOf(rounds.flat());
    lines.push([
      name,
      '',
      median(rounds[0], rate).toFixed(0),
      median(rounds[1], rate).toFixed(0),
      medianRatio(rounds, (round) => round.p50).toFixed(2),
      medianRatio(rounds, (round) => round.cpu).toFixed(2),
      (1 / slower).toFixed(2),
      failures || '0',
    ]);
    if (slower > MOST_SLOWER)
      faults.push(`${name}: ${slower.toFixed(2)} × slower with ${large.companies} companies`);
    if (failures !== '') faults.push(`${name}: answers other than 2xx: ${failures}`);
  }
  console.log(table(lines));
  return faults;
}

/** How long the service takes from its start to a ready answer, on the folder of data that the bench filled. */
export async function timeToReady(database: BenchDatabase, command: string, port: number): Promise<string[]> {
  if (database.dataDir === undefined) {
    console.log('time to ready: measured with the embedded PostgreSQL only');
    return [];
  }
  await database.stop();
  const times: number[] = [];
  for (let start = 0; start < STARTS; start++) times.push(await oneStart(database.dataDir, command, port));
  const middle = median(times, (time) => time);
  console.log(
    `time to ready with PostgreSQL, ${STARTS} starts: ${times.map((time) => time.toFixed(0)).join(', ')} ms`,
  );
  return middle > MOST_MS_TO_READY ? [`${middle.toFixed(0)} ms until ready`] : [];
}

async function oneStart(dataDir: string, command: string, port: number): Promise<number> {
  const started = performance.now();
  const child = spawn(command, ['serve'], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir },
  });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok) break;
    if (child.exitCode !== null) throw new Error(`the service ended with status ${child.exitCode}`);
  }
  const elapsed = performance.now() - started;
  await stop(child);
  return elapsed;
}
