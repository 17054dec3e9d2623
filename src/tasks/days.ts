/** Groups of open tasks, in the order of their days. */
export const DUE_GROUPS = ['overdue', 'today', 'tomorrow', 'week', 'later'] as const;

type DueGroup = (typeof DUE_GROUPS)[number];

/** From its first instant until that of the next; null where it has no end. */
export type DueRange = { group: DueGroup; due_from: string | null; due_before: string | null };

const SUNDAY = 7;

/**
 * The groups as ranges of instants, so that an index counts and reads them. Their days are those of the zone: a task
 * with or without a time of day is due on the day that its instant falls on there. The week ends on Sunday.
 */
export function rangesAt(
  now: Temporal.Instant,
  timeZone: string,
): { today: string; ranges: readonly DueRange[] } {
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const start = (days: number) =>
    today.add({ days }).toZonedDateTime(timeZone).toInstant().toString({ smallestUnit: 'millisecond' });
  const daysLeft = SUNDAY - today.dayOfWeek;
  // On a Saturday and a Sunday nothing is left of the week after tomorrow: its group is empty.
  const starts = [start(0), start(1), start(2), start(Math.max(daysLeft + 1, 2))];
  return {
    today: today.toString(),
    ranges: DUE_GROUPS.map((group, at) => ({
      group,
      due_from: starts[at - 1] ?? null,
      due_before: starts[at] ?? null,
    })),
  };
}
