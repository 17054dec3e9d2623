/** Groups of open tasks, in the order of their days. */
export const DUE_GROUPS = ['overdue', 'today', 'tomorrow', 'week', 'later'] as const;

type DueGroup = (typeof DUE_GROUPS)[number];

/** From its first instant until that of the next group; null for no limit. */
type DueRange = { group: DueGroup; due_from: string | null; due_before: string | null };

const SUNDAY = 7;

/**
 * The groups as ranges of instants, so that an index finds their tasks. Days are those of the time zone: a task
 * with or without a time of day is due on the day of its instant in that zone. The week ends on Sunday.
 */
export function rangesAt(
  now: Temporal.Instant,
  timeZone: string,
): { today: string; ranges: readonly DueRange[] } {
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const start = (days: number) =>
    today.add({ days }).toZonedDateTime(timeZone).toInstant().toString({ smallestUnit: 'millisecond' });
  const daysLeft = SUNDAY - today.dayOfWeek;
  // On Saturday and Sunday the week has no days after tomorrow, so its group is empty.
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
