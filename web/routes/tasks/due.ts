import { CalendarDateTime, parseDate, toZoned } from '@internationalized/date';
import type { Format } from '../../words/format.ts';
import type { Due } from './due-text.ts';
import type { TaskRow } from './use-tasks.ts';

/** Where the instant of a day without a time lies: noon is on the same day for whoever reads it a few zones off. */
const NOON = '12:00';

/** What the interface stores. */
export function instantOf({ day, time }: Due, timeZone: string) {
  const { year, month, day: date } = parseDate(day);
  const [hour, minute] = (time ?? NOON).split(':').map(Number) as [number, number];
  const at = toZoned(new CalendarDateTime(year, month, date, hour, minute), timeZone);
  return { due_date: at.toAbsoluteString(), has_time_specified: time !== null };
}

/** What people read of it. */
export function dueOf({ due_date, has_time_specified }: DueFields, format: Format): Due {
  return { day: format.day(due_date), time: has_time_specified ? format.time(due_date) : null };
}

type DueFields = Pick<TaskRow, 'due_date' | 'has_time_specified'>;

/** Past: by its day, or by its time where it has one. */
export function isOverdue(
  task: DueFields & { completed: boolean },
  format: Format,
  now = new Date(),
): boolean {
  if (task.completed) return false;
  const days = format.daysFromToday(task.due_date, now);
  return days < 0 || (days === 0 && task.has_time_specified && Date.parse(task.due_date) < now.getTime());
}
