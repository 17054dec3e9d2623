import { CalendarDateTime, parseDate, toZoned } from '@internationalized/date';
import type { Due } from './due-text.ts';

/** The time stored for a day without a time: noon is on the same day in time zones a few hours away. */
const NOON = '12:00';

/** What the API stores. */
export function instantOf({ day, time }: Due, timeZone: string) {
  const { year, month, day: date } = parseDate(day);
  const [hour, minute] = (time ?? NOON).split(':').map(Number) as [number, number];
  const at = toZoned(new CalendarDateTime(year, month, date, hour, minute), timeZone);
  return { due_date: at.toAbsoluteString(), has_time_specified: time !== null };
}
