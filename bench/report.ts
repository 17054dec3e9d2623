import type { CaseName } from './cases.ts';
import { failuresOf, median, medianRatio, type Round } from './measure.ts';

/** Rounds of the floor and of the service. */
export type CaseResult = { name: CaseName; rounds: [Round[], Round[]] };

type Memory = { floor: number; service: number };

/** Targets: times the floor's processor time, and bytes resident after the run. */
const MAX_CPU_RATIO = 1.5;
const MAX_CPU_RATIO_WITHOUT_DATABASE = 2.5;
const MAX_MEMORY = 200e6;

/** The comparison as text: one line a case, and the memory. */
export function casesTable(results: readonly CaseResult[], memory: Memory): string {
  const head = [
    '',
    'req/s',
    '',
    'p50 ms',
    '',
    'p99 ms',
    '',
    'cpu µs/req',
    '',
    'cpu ratio',
    'lowest–highest',
    'with PostgreSQL',
    'not 2xx',
  ];
  const sub = [
    '',
    'floor',
    'service',
    'floor',
    'service',
    'floor',
    'service',
    'floor',
    'service',
    '',
    '',
    '',
    '',
  ];
  const lines = results.map(({ name, rounds }) => {
    const both = (pick: (round: Round) => number, digits: number) =>
      rounds.map((side) => median(side, pick).toFixed(digits));
    const ratios = rounds[0].map((floor, index) => rounds[1][index]!.cpu / floor.cpu);
    return [
      name,
      ...both((round) => round.perSecond, 0),
      ...both((round) => round.p50, 1),
      ...both((round) => round.p99, 1),
      ...both((round) => round.cpu, 1),
      medianRatio(rounds, (round) => round.cpu).toFixed(2),
      `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      medianRatio(rounds, (round) => round.cpuOfBoth).toFixed(2),
      failuresOf(rounds.flat()) || '0',
    ];
  });
  return `${table([head, sub, ...lines])}\nresident after the run: floor ${megabytes(memory.floor)} MB, service ${megabytes(memory.service)} MB\n`;
}

/** The targets that were missed, in words. */
export function targetsOf(results: readonly CaseResult[], memory: Memory): string[] {
  const missed: string[] = [];
  for (const { name, rounds } of results) {
    const ratio = medianRatio(rounds, (round) => round.cpu);
    const max = name === 'GET /me' ? MAX_CPU_RATIO_WITHOUT_DATABASE : MAX_CPU_RATIO;
    if (ratio > max) missed.push(`${name}: ${ratio.toFixed(2)} × the floor's processor time`);
    const failures = failuresOf(rounds.flat());
    if (failures !== '') missed.push(`${name}: answers other than 2xx: ${failures}`);
  }
  if (memory.service > MAX_MEMORY) missed.push(`${megabytes(memory.service)} MB resident`);
  return missed;
}

/** Lines of cells as text in columns: the first aligned to the left, the others to the right. */
export function table(lines: readonly string[][]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  '),
    )
    .join('\n');
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
