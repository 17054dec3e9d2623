import { LOCALES, useLanguage, type Language } from './language.ts';
import { useEachMinute } from './minute.ts';

export type Format = ReturnType<typeof formatIn>;

/** Dates, amounts and numbers as the person's language writes them. "i dag" and "nå" stay true while shown. */
export function useFormat(): Format {
  const { language, timeZone } = useLanguage();
  useEachMinute();
  return formatOf(language, timeZone);
}

/** Formatters of Intl are costly to make, and a board has hundreds of cards: one set for a language and time zone. */
const made = new Map<string, Format>();

function formatOf(language: Language, timeZone: string): Format {
  const key = `${language} ${timeZone}`;
  const format = made.get(key) ?? formatIn(language, timeZone);
  made.set(key, format);
  return format;
}

const DAY_MS = 86_400_000;

function formatIn(language: Language, timeZone: string) {
  const locale = LOCALES[language];
  // A day without a time is the same day everywhere, also in zones where its midnight in UTC is on the day before.
  const of = (options: Intl.DateTimeFormatOptions) => {
    const ofInstant = new Intl.DateTimeFormat(locale, { timeZone, ...options });
    const ofDay = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    return (at: DateLike) => (isDay(at) ? ofDay : ofInstant).format(new Date(at));
  };
  const long = of({ day: 'numeric', month: 'short', year: 'numeric' });
  const short =
    language === 'nb'
      ? of({ day: '2-digit', month: '2-digit', year: 'numeric' })
      : of({ day: 'numeric', month: 'short', year: 'numeric' });
  const weekday = { long: of({ weekday: 'long' }), short: of({ weekday: 'short' }) };
  const time = of({ hour: '2-digit', minute: '2-digit' });
  const full = of({
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
  const key = new Intl.DateTimeFormat('sv-SE', { timeZone });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const compact = new Intl.NumberFormat(locale, {
    notation: 'compact',
    maximumFractionDigits: 1,
    useGrouping: 'always',
  });
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const collator = new Intl.Collator(language === 'nb' ? 'nb' : 'en', { numeric: true });
  const kroner = (text: string) => (language === 'nb' ? `${text}\u00A0kr` : `NOK\u00A0${text}`);
  const dayIn = (date: Date) => key.format(date).replace(/^\d+/, yearOf);
  const dayOf = (at: DateLike) => (isDay(at) ? at : dayIn(new Date(at)));
  const days = (at: DateLike, now: Date) =>
    Math.round((Date.parse(dayOf(at)) - Date.parse(dayIn(now))) / DAY_MS);

  return {
    /** 21. nov. 2026 · 21 Nov 2026 */
    date: long,
    /** 21.11.2026 · 21 Nov 2026, for tables */
    shortDate: short,
    /** 09:30 */
    time,
    /** fredag · fre. */
    weekday: (at: DateLike, width: 'long' | 'short' = 'long') => weekday[width](at),
    /** fredag 21. november 2026 kl. 09:30; for a day without a time, only the date */
    full: (at: DateLike) => (isDay(at) ? long(at) : full(at)),
    /** When a task is due, as the other formats take it: an instant, or a day where it has no time. */
    due: ({ due_date, has_time_specified }: { due_date: string; has_time_specified: boolean }): DateLike =>
      has_time_specified ? due_date : dayOf(due_date),
    /** The day as 2026-11-21 in the workspace's time zone. */
    day: dayOf,
    /** Today in the workspace's time zone, as 2026-11-21. */
    today: () => dayIn(new Date()),
    /** Days from today, negative for past ones, in the workspace's time zone. */
    daysFromToday: (at: DateLike, now = new Date()) => days(at, now),
    /** nå, om 2 timer, i morgen, for 3 dager siden; the date beyond a week. */
    relative(at: DateLike, now = new Date()): string {
      const distance = days(at, now);
      if (!isDay(at) && distance === 0) {
        const minutes = Math.round((Date.parse(at) - now.getTime()) / 60_000);
        if (minutes === 0) return relative.format(0, 'second');
        if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
        return relative.format(Math.round(minutes / 60), 'hour');
      }
      if (Math.abs(distance) > 7) return long(at);
      // Intl says "døgn", which nobody says of appointments.
      return relative.format(distance, 'day').replace('døgn', 'dager');
    },
    /** 1 234 567 */
    number: (value: number) => whole.format(value),
    /** 1 234 567 kr · NOK 1,234,567 */
    amount: (kronerValue: number | bigint) => kroner(whole.format(kronerValue)),
    /** 1,2 mill. kr · NOK 1.2M, where there is little room */
    compactAmount: (kronerValue: number | bigint) => kroner(compact.format(kronerValue)),
    /** 50 % */
    percent: (value: number) =>
      language === 'nb' ? `${decimal.format(value)}\u00A0%` : `${decimal.format(value)}%`,
    /** 10 000+ where the server stopped counting */
    count: (value: number, capped = false) => `${whole.format(value)}${capped ? '+' : ''}`,
    /** 923 609 016 */
    orgnr: (number: string) => number.replace(/^(\d{3})(\d{3})(\d{3})$/, '$1\u00A0$2\u00A0$3'),
    list: (parts: readonly string[]) => list.format(parts),
    /** Sorts as the language does: in Norwegian, å after z. */
    compare: (one: string, other: string) => collator.compare(one, other),
  };
}

/** An instant as the API writes it, or a day without a time: 2026-11-21. */
type DateLike = string;

function isDay(at: DateLike): boolean {
  return !at.includes('T');
}

/** A year as ISO 8601 writes it. The last hour of the year 9999 in UTC is in the year 10000 in Oslo. */
function yearOf(year: string): string {
  return year.length > 4 ? `+${year.padStart(6, '0')}` : year.padStart(4, '0');
}
