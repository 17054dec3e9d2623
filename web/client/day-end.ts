/** Time between requests when the day has ended by the clock here, but not yet by that of the service. */
const AGAIN_MS = 30_000;

/** A browser whose clock is 25 days behind would wait for longer than timers can, and so not at all. */
const LONGEST_MS = 24 * 60 * 60_000;

/** Milliseconds until a day should have ended, by the clock of this device. */
export function untilEnd(dueBefore: string): number {
  const left = Date.parse(dueBefore) - Date.now();
  return left > 0 ? Math.min(left, LONGEST_MS) : AGAIN_MS;
}
