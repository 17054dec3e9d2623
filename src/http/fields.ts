import { z } from 'zod';
import { breaks } from './rule.ts';

/**
 * Text as sent: no trimming, no cleaning. U+0000, which PostgreSQL cannot store, and lone surrogates, which UTF-8
 * cannot encode, are rejected. Lengths count code points, as PostgreSQL and JSON Schema do.
 */
export const text = (maxLength: number) =>
  z
    .string()
    .refine(isStorable, breaks('text', 'must not contain U+0000 or a lone surrogate'))
    .refine(
      // A code point takes at most two units, so a longer text need not be counted.
      (value) =>
        value.length <= maxLength || (value.length <= maxLength * 2 && Array.from(value).length <= maxLength),
      breaks('too_long', `must be at most ${maxLength} characters`),
    )
    .meta({ maxLength });

/** Text that must not be blank. */
export const requiredText = (maxLength: number) =>
  text(maxLength)
    .refine((value) => value.trim() !== '', breaks('required', 'must not be blank'))
    .meta({ maxLength, minLength: 1, pattern: String.raw`\S` });

const UUID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12})$/i;

/**
 * A UUID of the contract's form ("Endpoints"); upper case is accepted and becomes lower case.
 * @param hint message for a value that was probably meant to be something else
 */
export const uuidField = (hint: (value: string) => string | undefined = () => undefined) =>
  z
    .string({
      error: ({ input }) =>
        typeof input === 'number' ? 'must be a UUID in a string, not a number' : undefined,
    })
    .refine((value) => UUID.test(value), {
      error: ({ input }) => hint(String(input)) ?? notUuid(String(input)),
    })
    .overwrite((value) => value.toLowerCase())
    .meta({ format: 'uuid' });

function notUuid(value: string): string {
  return /^\d+$/.test(value)
    ? 'must be a UUID, not a number'
    : 'must be a UUID, for example 018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10';
}

export const uuid = uuidField();

const OF_A_ROW = `must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;

/** The id of a note, contact detail or company link in a path: a whole number. */
export const rowId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, OF_A_ROW)
  .transform(Number)
  .refine(Number.isSafeInteger, OF_A_ROW)
  .meta({ override: { type: 'integer', minimum: 1, pattern: undefined } });

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

/** An id that the caller may choose on creation (contract, "Retry rules" 1). */
export const suppliedId = uuid
  .optional()
  .meta({ description: 'Save it before sending: a repeat after a timeout then answers 409.' });

/** An email address as HTML's email input accepts it, which includes asterisks. */
export const emailField = (hint: (value: string) => string = () => '') =>
  z
    .string()
    .max(254, 'must be at most 254 characters')
    .regex(z.regexes.html5Email, {
      error: ({ input }) => `must be a valid email address${hint(String(input))}`,
    })
    .meta({ format: 'email', maxLength: 254 });

export const email = emailField();

/**
 * A whole number; never coerced from a string.
 * @param fractionMessage message for a number that is not whole
 */
export function wholeNumber(min: number, max: number, fractionMessage = 'must be a whole number') {
  const range = `must be from ${min} to ${max}`;
  return z
    .int({
      error: ({ code, input }) => {
        if (code.startsWith('too_') || input === Infinity || input === -Infinity) return range;
        return typeof input === 'number' ? fractionMessage : undefined;
      },
    })
    .min(min, range)
    .max(max, range);
}

/** An instant in UTC with milliseconds, as in responses: `2026-01-15T09:00:00.000Z`. */
export const timestamp = z.string().meta({
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  examples: ['2026-01-15T09:00:00.000Z'],
});

/** The same without `Z`, as the contract shows `updated_at` of a task. */
export const timestampWithoutZone = z.string().meta({
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$`,
  examples: ['2026-01-15T09:00:00.000'],
});

/** A calendar date: `1995-03-12`. */
export const date = z.string().meta({ format: 'date', examples: ['1995-03-12'] });

const instantIn = (rounding: Rounding) =>
  z
    .string({
      error: ({ input }) =>
        typeof input === 'number'
          ? 'must be an ISO 8601 timestamp in a string, for example 2026-01-15T09:00:00+01:00, not a number'
          : undefined,
    })
    .refine((value) => toUtc(value) !== undefined, {
      error: ({ input }) => describeInvalidInstant(String(input)),
      params: { rule: 'date' },
      abort: true,
    })
    // After the last millisecond of 9999 there is none to round up to.
    .overwrite((value) => toUtc(value, rounding) ?? toUtc(value) ?? value)
    .meta({ format: 'date-time', examples: ['2026-01-15T09:00:00+01:00'] });

/** An RFC 3339 timestamp with `Z` or an offset; becomes the same instant in UTC, cut to milliseconds. */
export const instant = instantIn('trunc');

/** The same for a bound, rounded up: stored times have milliseconds, so no stored time lies between. */
export const instantAsBound = instantIn('ceil');

/** An instant that is still to come. */
export const futureInstant = instant.refine(
  (utc) => Temporal.Instant.compare(utc, Temporal.Now.instant()) > 0,
  breaks('date', 'must be in the future'),
);

function describeInvalidInstant(value: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(value)) {
    return `must have a time and an offset, for example ${value}T12:00:00+01:00`;
  }
  if (RFC_3339.test(value)) {
    if (LEAP_SECOND.test(value)) return 'must not be a leap second';
    return 'must be a date, a time and an offset that exist, in the years 0001 to 9999 of UTC';
  }
  const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?/.exec(value)?.[0];
  if (local === undefined || /(?:Z|[+-]\d\d:\d\d)$/i.test(value)) {
    return 'must be an ISO 8601 timestamp with Z or an offset, for example 2026-01-15T09:00:00+01:00';
  }
  const [, hours, minutes = '00'] = /^([+-]\d\d)(\d\d)?$/.exec(value.slice(local.length)) ?? [];
  return hours === undefined
    ? `must end with Z or an offset, for example ${local}+01:00`
    : `must have an offset with a colon: ${local}${hours}:${minutes}`;
}

/** Captures the local time, up to nanoseconds, and the offset; skips digits beyond nanoseconds. */
const RFC_3339 =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:(?<=\.\d{9})\d+)?(Z|[+-]\d\d:\d\d)$/i;

const LEAP_SECOND = /^.{16}:60/;

type Rounding = 'trunc' | 'ceil';

/**
 * The instant in UTC, cut or rounded up to milliseconds: `2026-01-15T08:00:00.000Z`. Undefined for other text, dates
 * and times that do not exist, leap seconds, and years outside 0001 to 9999 in UTC.
 */
function toUtc(value: string, roundingMode: Rounding = 'trunc'): string | undefined {
  const [, local, offset] = RFC_3339.exec(value) ?? [];
  // Temporal would read a leap second as the second before it.
  if (local === undefined || LEAP_SECOND.test(local)) return undefined;
  try {
    const given = Temporal.Instant.from(`${local}${offset}`);
    const utc = given.toString({ smallestUnit: 'millisecond', roundingMode });
    return /^(?!0000)\d{4}-/.test(utc) ? utc : undefined;
  } catch {
    // RangeError: no such date, time or offset.
    return undefined;
  }
}

/** Whether a value of a cursor is an instant in the form of all answers, the only form that cursors contain. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && toUtc(value) === value;
}

export function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

/** The compiler compares examples with their schema. */
declare module 'zod/v4/core' {
  interface GlobalMeta {
    examples?: z.core.$input[];
  }
}
