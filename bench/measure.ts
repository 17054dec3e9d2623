import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CaseName } from './cases.ts';
import type { Order, Outcome } from './load.ts';
import { ask, stop, type Side } from './processes.ts';
import type { BenchWorkspace } from './seed.ts';

/** What one round on one side showed. */
export type Round = Outcome & {
  /** Processor time of the server's process per request, in microseconds. */
  cpu: number;
  /** The same with PostgreSQL's, NaN where that is not known. */
  cpuOfBoth: number;
};

/** A side and the workspace that its requests use. */
export type Subject = { side: Side; workspace: BenchWorkspace };

export type Plan = Pick<Order, 'seconds' | 'connections' | 'rate'> & { rounds: number };

/** A process that has just started compiles for seconds. */
const WARM_UP_SECONDS = 3;

/** The load generator, in a process of its own so that its time is not counted as a server's. */
export function startLoad(): { drive(order: Order): Promise<Outcome>; stop(): Promise<void> } {
  const child: ChildProcess = fork(fileURLToPath(new URL('load.ts', import.meta.url)));
  return { drive: (order) => ask<Outcome>(child, order), stop: () => stop(child) };
}

/**
 * Sends load to both subjects in turns, and alternates which goes first, so that other load on the machine affects
 * both alike.
 * @returns rounds of the first and of the second subject, in order
 */
export async function measure(
  load: ReturnType<typeof startLoad>,
  kase: CaseName,
  subjects: readonly [Subject, Subject],
  { rounds, ...plan }: Plan,
  databaseUsed: () => number = () => NaN,
): Promise<[Round[], Round[]]> {
  const results: [Round[], Round[]] = [[], []];
  const one = async ({ side, workspace }: Subject, seconds: number): Promise<Round> => {
    const before = await side.usage();
    const databaseBefore = databaseUsed();
    const outcome = await load.drive({ ...plan, origin: side.origin, kase, workspace, seconds });
    const after = await side.usage();
    const cpu = after.cpu - before.cpu;
    const cpuOfBoth = cpu + databaseUsed() - databaseBefore;
    return { ...outcome, cpu: cpu / outcome.answered, cpuOfBoth: cpuOfBoth / outcome.answered };
  };
  for (const subject of subjects) await one(subject, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const turn of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      results[turn].push(await one(subjects[turn], plan.seconds));
    }
  }
  return results;
}

/** The median of the values of `pick` over rounds. */
export function median<T>(rounds: readonly T[], pick: (round: T) => number): number {
  const values = rounds.map(pick).toSorted((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}

/** The median of the ratios second / first, each of two runs that follow each other. */
export function medianRatio(rounds: readonly [Round[], Round[]], pick: (round: Round) => number): number {
  const pairs = rounds[0].map((first, index) => ({ first, second: rounds[1][index]! }));
  return median(pairs, ({ first, second }) => pick(second) / pick(first));
}

/** Answers that were not 2xx, over all rounds, as text; empty when there were none. */
export function failuresOf(rounds: readonly Round[]): string {
  const sums = new Map<string, number>();
  for (const { failures } of rounds) {
    for (const [what, count] of Object.entries(failures)) sums.set(what, (sums.get(what) ?? 0) + count);
  }
  return [...sums].map(([what, count]) => `${count} × ${what}`).join(', ');
}
