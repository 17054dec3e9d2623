/** What one of the thirty tests has measured, and where the service broke a promise. */
export type Outcome = {
  measured: string[];
  breaches: string[];
  /** What could not be tried on this machine, and why. */
  skipped: string[];
};

/** The broken promises of an outcome. What could not be tried is printed for the person who runs the tests. */
export function breachesOf({ breaches, skipped }: Outcome): string[] {
  for (const reason of skipped) process.stderr.write(`SKIPPED: ${reason}\n`);
  return breaches;
}

/** Collects an outcome. */
export type Notes = Outcome & {
  /** Something measured that has no bound. */
  note: (name: string, value: number | string) => void;
  /** Something measured that must hold. */
  demand: (holds: boolean, name: string, value: unknown) => void;
  skip: (reason: string) => void;
  add: (other: Outcome) => void;
};

export function takeNotes(): Notes {
  const outcome: Outcome = { measured: [], breaches: [], skipped: [] };
  return {
    ...outcome,
    note(name, value) {
      outcome.measured.push(`${name} ${shown(value)}`);
    },
    demand(holds, name, value) {
      outcome.measured.push(`${name} ${shown(value)}`);
      if (!holds) outcome.breaches.push(`${name}: ${shown(value)}`);
    },
    skip: (reason) => void outcome.skipped.push(reason),
    add(other) {
      for (const part of ['measured', 'breaches', 'skipped'] as const) outcome[part].push(...other[part]);
    },
  };
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value below which this share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** How often each status came, for the line of a test: `201 × 40, 503 × 2`. */
export function tally(statuses: Iterable<number>): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const sorted = [...counts].toSorted(([one], [other]) => one - other);
  return sorted.map(([status, count]) => `${status} × ${count}`).join(', ') || 'none';
}

/** Waits until something is so. @throws if it is not within the limit, which is too long to measure speed */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { limitMs = 60_000, everyMs = 10 } = {},
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it did not come about: ${what}`);
    await new Promise((resolve) => void setTimeout(resolve, everyMs));
  }
}
