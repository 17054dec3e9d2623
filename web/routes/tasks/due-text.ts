import { CalendarDate, getDayOfWeek, parseDate } from '@internationalized/date';

/** When a task is due: a day of the workspace's time zone, and a time of day or none. */
export type Due = { day: string; time: string | null };

const NAMED = new Map([
  ['i dag', 0],
  ['idag', 0],
  ['today', 0],
  ['i kveld', 0],
  ['tonight', 0],
  ['i morgen', 1],
  ['imorgen', 1],
  ['tomorrow', 1],
  ['i overmorgen', 2],
  ['overmorgen', 2],
]);
const WEEKDAYS = [
  ['mandag', 'monday'],
  ['tirsdag', 'tuesday'],
  ['onsdag', 'wednesday'],
  ['torsdag', 'thursday'],
  ['fredag', 'friday'],
  ['lørdag', 'saturday'],
  ['søndag', 'sunday'],
];
const MONTHS = [
  ['januar', 'january'],
  ['februar', 'february'],
  ['mars', 'march'],
  ['april'],
  ['mai', 'may'],
  ['juni', 'june'],
  ['juli', 'july'],
  ['august'],
  ['september'],
  ['oktober', 'october'],
  ['november'],
  ['desember', 'december'],
];
/** 29 February comes again within these years, also around 2100. */
const YEARS_AHEAD = [0, 1, 2, 3, 4, 5, 6, 7, 8];
/** The words for the numbers from one to twelve. */
const NUMBERS = [
  ['en', 'én', 'ei', 'ett', 'a', 'one'],
  ['to', 'two'],
  ['tre', 'three'],
  ['fire', 'four'],
  ['fem', 'five'],
  ['seks', 'six'],
  ['sju', 'syv', 'seven'],
  ['åtte', 'eight'],
  ['ni', 'nine'],
  ['ti', 'ten'],
  ['elleve', 'eleven'],
  ['tolv', 'twelve'],
];
const EVENING = '20:00';

/**
 * Reads what people write for a day, in Norwegian or English: "i morgen", "fredag kl. 14", "om 3 dager", "24.12",
 * "next week". A day without a year is the next one to come.
 * @param today as 2026-11-21
 */
export function readDue(text: string, today: string): Due | undefined {
  const written = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const { rest, time } = takeTime(written);
  if (time === undefined) return undefined;
  if (rest === '') return time === null ? undefined : { day: today, time };
  const day = readDay(rest, parseDate(today));
  return day && { day: day.toString(), time: time ?? (/kveld|tonight/.test(rest) ? EVENING : null) };
}

const WEEKDAY = WEEKDAYS.flat().join('|');
const SHORT = 'tirs?|ons|tors|fre|lør|søn|tue|wed|thu';
/**
 * Short names that are also other words: weekdays only after "neste", "next" or "on", in "på man", or with a full stop.
 * In "Vent på Tor", Tor is a person.
 */
const AMBIGUOUS = 'man|tor|fri|sun|mon|sat';
const SHORT_NAMED = `(?:på |on )?(?:neste |next )?(?:${SHORT})\\.?|(?:(?:på )?(?:neste |next )|on (?:next )?)(?:${AMBIGUOUS})\\.?|på man|(?:${AMBIGUOUS})\\.`;
const WEEKDAY_NAMED = `(?:på |on )?(?:neste |next )?(?:${WEEKDAY})\\.?|${SHORT_NAMED}`;
/** What is a day only if a time follows: "fredag 24.12 kl. 9", "fre kl. 9". Without it, "24.12" may be a version. */
const BEFORE_TIME = `(?:(?:${WEEKDAY_NAMED}) )?(?:den |on )?\\d{1,2}[./]\\d{1,2}\\.?(?:[./]?(?:\\d{4}|\\d\\d))?|${SHORT_NAMED}`;
const AT = '(?:(?:kl\\.? ?|klokka |klokken |at )\\d.*|\\d[\\d.:]* ?[ap]m|\\d{1,2}:\\d\\d)';
const DAY = `i dag|idag|today|i kveld|tonight|i morgen|imorgen|tomorrow|i overmorgen|overmorgen|(?:på |on )?(?:neste |next )?(?:${WEEKDAY})|neste uke|next week|(?:om|in) \\S+ \\p{L}+|(?:(?:${WEEKDAY_NAMED}) )?(?:den |on )?(?:\\d{1,2}\\.? \\p{L}+\\.?(?: \\d{4})?|\\d{1,2}[./]\\d{1,2}[./]\\d{4}|\\d{4}-\\d\\d-\\d\\d)`;
/** A due date that is hardly part of a title: not "1.2", which may be a version, and not "Tor", which is a name. */
const CLEAR = new RegExp(
  `^(?:(?:${DAY})(?: .*\\d(?: ?[ap]m)?)?|(?:${BEFORE_TIME}) ${AT}|(?:kl\\.? ?|klokka |klokken )\\d.*|(?:at )?\\d[\\d.:]* ?[ap]m(?: .*)?)$`,
  'u',
);
/** Words with which no title ends. After one of them, a day is part of the title: "Agenda for i morgen". */
const LEADING =
  /(?:^| )(?:for|til|fra|med|av|ved|om|mot|innen|før|etter|siden|og|eller|of|from|to|about|until|by|before|after|since|and|or)$/i;
const DASH = /(?:^| )[-–—]$/;
const BEGINS_RANGE = new RegExp(`(?:\\d[.:]?|(?:^| )(?:${WEEKDAY}|${SHORT}|${AMBIGUOUS})\\.?)$`, 'iu');
const ENDS_WITH_DAY = new RegExp(`(?:^| )(?:${BEFORE_TIME})$`, 'iu');
const ENDS_WITH_WEEKDAY = new RegExp(`(?:^| )(?:${WEEKDAY_NAMED})$`, 'iu');
const MOST_WORDS = 10;

/** Splits a title from the words at its end that say when the task is due: "Ring Kari i morgen kl. 9". */
export function splitDue(text: string, today: string): { title: string; due: string } | undefined {
  const words = text.trim().split(/\s+/);
  for (let at = Math.max(1, words.length - MOST_WORDS); at < words.length; at++) {
    const [before, due] = [words.slice(0, at).join(' '), words.slice(at).join(' ')];
    if (!CLEAR.test(due.toLowerCase()) || !readDue(due, today)) continue;
    const title = before.replace(DASH, '');
    if (title !== before && beginsRange(title, today)) return undefined;
    // A time after a day that cannot be read does not mean today. A date after a wrong weekday is no due date.
    const { rest } = takeTime(due.toLowerCase());
    if (rest === '' && ENDS_WITH_DAY.test(title)) return undefined;
    if (/^(?:den |on )?\d/.test(rest) && ENDS_WITH_WEEKDAY.test(title)) return undefined;
    if (!LEADING.test(title)) return { title, due };
    // "til kl. 12 i morgen": the time belongs to the title, but the day may still be the due date.
    if (!FIRST.test(due.toLowerCase())) return undefined;
  }
  return undefined;
}

/** Whether a dash after the title means "to": "9 - 10 am", "1. - 4. desember", "mandag – fredag". */
function beginsRange(title: string, today: string): boolean {
  return title === '' || BEGINS_RANGE.test(title) || splitDue(title, today) !== undefined;
}

/** A time of day. Its colon, the word before it, or am or pm tells it from a date. */
const TIME =
  '(?=kl|at |\\d+:|[\\d.]+ ?[ap]m)(?:kl\\.? ?|klokka |klokken |at )?(\\d{1,2})(?:[:.]?(\\d\\d))?(?: ?([ap])m)?';
const LAST = new RegExp(`(?:^| )${TIME}$`);
const FIRST = new RegExp(`^${TIME} `);

/** Takes the time from the end or the beginning. `time` is null without one, undefined for one like 25:00. */
function takeTime(text: string): { rest: string; time: string | null | undefined } {
  const match = LAST.exec(text) ?? FIRST.exec(text);
  if (!match) return { rest: text, time: null };
  return {
    rest: text.replace(match[0], '').trim(),
    time: timeOf(Number(match[1]), match[2] ?? '00', match[3]),
  };
}

function timeOf(written: number, minute: string, half: string | undefined): string | undefined {
  const isHour = half === undefined ? written < 24 : written >= 1 && written <= 12;
  if (!isHour || Number(minute) >= 60) return undefined;
  const hour = half === undefined ? written : (written % 12) + (half === 'p' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${minute}`;
}

function readDay(text: string, today: CalendarDate): CalendarDate | undefined {
  const days = NAMED.get(text);
  if (days !== undefined) return today.add({ days });
  if (text === 'neste uke' || text === 'next week') return nextWeekday(today, 0);
  return (
    readDistance(text, today) ?? readWeekday(text, today) ?? readDate(text.replace(/^(?:den|on) /, ''), today)
  );
}

function readDistance(text: string, today: CalendarDate): CalendarDate | undefined {
  const [, amount, unit] =
    /^(?:om|in) (\d{1,3}|\p{L}+) (dag|day|uke|week|måned|month)(?:er|r|s)?$/u.exec(text) ?? [];
  if (amount === undefined) return undefined;
  const count = NUMBERS.findIndex((words) => words.includes(amount)) + 1 || Number(amount);
  if (Number.isNaN(count)) return undefined;
  if (unit === 'dag' || unit === 'day') return today.add({ days: count });
  return today.add(unit === 'uke' || unit === 'week' ? { weeks: count } : { months: count });
}

function readWeekday(text: string, today: CalendarDate): CalendarDate | undefined {
  const [, name = '', written] =
    /^(?:på |on )?(?:neste |next )?(\p{L}+)\.?(?: (?:den |on )?(\d.*))?$/u.exec(text) ?? [];
  const weekday = findName(WEEKDAYS, name);
  if (weekday === undefined) return undefined;
  if (written === undefined) return nextWeekday(today, weekday);
  const date = readDate(written, today);
  return date && getDayOfWeek(date, 'nb-NO') === weekday ? date : undefined;
}

function readDate(text: string, today: CalendarDate): CalendarDate | undefined {
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const [, day, month, year] = /^(\d{1,2})[./] ?(\d{1,2})\.?(?:[./]? ?(\d{4}|\d\d))?$/.exec(text) ?? [];
  if (day !== undefined) return comingDate(today, Number(day), Number(month), year);
  const [, number, name, late] = /^(\d{1,2})\.? (\p{L}+)\.?(?: (\d{4}))?$/u.exec(text) ?? [];
  const named = name === undefined ? undefined : findName(MONTHS, name);
  return named === undefined ? undefined : comingDate(today, Number(number), named + 1, late);
}

function comingDate(today: CalendarDate, day: number, month: number, year?: string) {
  if (year !== undefined) return dateOf(Number(year.length === 2 ? `20${year}` : year), month, day);
  return YEARS_AHEAD.map((years) => dateOf(today.year + years, month, day)).find(
    (date) => date && date.compare(today) >= 0,
  );
}

/** Undefined for a day that the calendar does not have, which the library would move. */
function dateOf(year: number, month: number, day: number): CalendarDate | undefined {
  const date = new CalendarDate(year, month, day);
  return date.year === year && date.month === month && date.day === day ? date : undefined;
}

/** The next date after today that falls on the weekday; 0 is Monday. */
function nextWeekday(today: CalendarDate, weekday: number): CalendarDate {
  const days = (weekday - getDayOfWeek(today, 'nb-NO') + 7) % 7;
  return today.add({ days: days === 0 ? 7 : days });
}

/** The index of the name that begins with the text, which must have at least three letters. */
function findName(names: readonly (readonly string[])[], text: string): number | undefined {
  if (text.length < 3) return undefined;
  const found = names.findIndex((all) => all.some((name) => name.startsWith(text)));
  return found === -1 ? undefined : found;
}
