/** What hides the zones of a day: its noon, and its noon in those far ahead of or behind Greenwich. */
const HOURS = [12, 0, 23];

/**
 * A moment that falls on `day` in the workspace's time zone, for a task without a time.
 * @param dayOf the day of a moment in that zone
 */
export function momentOn(day: string, dayOf: (at: string) => string): string {
  const moments = HOURS.map((hour) => `${day}T${String(hour).padStart(2, '0')}:00:00.000Z`);
  return moments.find((moment) => dayOf(moment) === day) ?? moments[0]!;
}
