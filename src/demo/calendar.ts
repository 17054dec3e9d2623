import { randomUUIDv7 } from 'node:crypto';
import type { Draw } from './draw.ts';

/** Where the people of the demo work. */
export const TIME_ZONE = 'Europe/Oslo';

const FIRST_HOUR = 8;
const LAST_HOUR = 15;
const FRIDAY = 5;

/** A moment in office hours a number of days from today, moved from a weekend to the Friday before. */
export function momentAt(today: Temporal.PlainDate, days: number, draw: Draw): string {
  const day = today.add({ days });
  return timeOn(day, Math.min(0, FRIDAY - day.dayOfWeek), draw);
}

/** A moment in office hours exactly that number of days from `today`, also on a weekend. */
export function timeOn(today: Temporal.PlainDate, days: number, draw: Draw): string {
  return at(today.add({ days }), draw.number(FIRST_HOUR, LAST_HOUR), draw.number(0, 11) * 5);
}

/** Noon of a day, for tasks that have a day only. */
export function noonOf(today: Temporal.PlainDate, days: number): string {
  return at(today.add({ days }), 12, 0);
}

/** An id that sorts like one generated at that moment. */
export function idAt(moment: string): string {
  const time = Temporal.Instant.from(moment).epochMilliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`;
}

function at(day: Temporal.PlainDate, hour: number, minute: number): string {
  return day
    .toZonedDateTime({ timeZone: TIME_ZONE, plainTime: { hour, minute } })
    .toInstant()
    .toString({ smallestUnit: 'millisecond' });
}
