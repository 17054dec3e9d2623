import { z } from 'zod';

/**
 * Text as sent: no trimming, no cleaning. Refused are U+0000 and lone surrogates, which PostgreSQL or UTF-8
 * cannot hold. Lengths count characters (code points), as PostgreSQL and JSON Schema do.
 */
export const text = (longest: number) =>
  z
    .string()
    .refine(isStorable, 'must not contain U+0000 or a lone surrogate')
    .refine((value) => !isLongerThan(value, longest), `must be at most ${longest} characters`)
    .meta({ maxLength: longest });

/** Text that must not be blank. */
export const requiredText = (longest: number) =>
  text(longest)
    .refine((value) => value.trim() !== '', 'must not be blank')
    .meta({ maxLength: longest, minLength: 1, pattern: String.raw`\S` });

const UUID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12})$/i;

/**
 * A UUID of the contract's form ("Endpoints"); upper case is accepted and becomes lower case.
 * @param hint what to say to a caller who took something else for the id
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

/** The id of a note, contact detail or company link in a path: a whole number. */
export const rowId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be a whole number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a whole number')
  .meta({ override: { type: 'integer', minimum: 1, pattern: undefined } });

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** An id that a caller may choose on creation (contract, "Retry rules" 1). */
export const suppliedId = uuid
  .optional()
  .meta({ description: 'Save it before sending: a repeat after a timeout then answers 409.' });

/** An address as HTML's e-mail input takes it; an asterisk is allowed. */
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
 * @param fraction what to say of a number that is not whole
 */
export const wholeNumber = (least: number, most: number, fraction = 'must be a whole number') =>
  z
    .int({
      error: ({ code, input }) => {
        if (code.startsWith('too_')) return `must be from ${least} to ${most}`;
        return typeof input === 'number' ? fraction : undefined;
      },
    })
    .min(least, `must be from ${least} to ${most}`)
    .max(most, `must be from ${least} to ${most}`);

/** A moment in UTC with milliseconds, as answers give it: `2026-01-15T09:00:00.000Z`. */
export const timestamp = z.string().meta({
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  examples: ['2026-01-15T09:00:00.000Z'],
});

/** The same without the designator, as the contract shows `updated_at` of a task. */
export const timestampWithoutZone = z.string().meta({
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$`,
  examples: ['2026-01-15T09:00:00.000'],
});

/** A day: `1995-03-12`. */
export const date = z.string().meta({ format: 'date', examples: ['1995-03-12'] });

/** An RFC 3339 timestamp with `Z` or an offset on input; becomes the same instant in UTC. */
export const instant = z
  .string()
  .check((context) => {
    const utc = utcInstant(context.value);
    if (utc === undefined) {
      context.issues.push({
        code: 'custom',
        message: faultOfInstant(context.value),
        input: context.value,
      });
    } else {
      context.value = utc;
    }
  })
  .meta({ format: 'date-time', examples: ['2026-01-15T09:00:00+01:00'] });

/** What is wrong with text that is no instant. */
function faultOfInstant(value: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(value)) {
    return `must have a time and an offset, for example ${value}T12:00:00+01:00`;
  }
  const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?/.exec(value)?.[0];
  if (RFC_3339.test(value)) return 'must be a date and time that exist';
  return local === undefined
    ? 'must be an ISO 8601 timestamp with Z or an offset, for example 2026-01-15T09:00:00+01:00'
    : `must end with Z or an offset, for example ${local}+01:00`;
}

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * The instant in UTC, `2026-01-15T08:00:00.000Z`; a fraction is cut to milliseconds. Undefined for what is no
 * timestamp with an offset, no real calendar date, or falls outside the years 0001 to 9999 in UTC.
 */
function utcInstant(value: string): string | undefined {
  const match = RFC_3339.exec(value);
  if (!match) return undefined;
  const part = (group: number) => Number(match[group] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [offsetHours, offsetMinutes] = [part(9), part(10)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const moment = new Date(0);
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  moment.setUTCFullYear(year, month - 1, day);
  if (moment.getUTCMonth() !== month - 1 || moment.getUTCDate() !== day) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * (match[8] === '-' ? -1 : 1);
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  moment.setUTCHours(hour, minute - offset, second, milliseconds);
  const utcYear = moment.getUTCFullYear();
  return utcYear >= 1 && utcYear <= 9999 ? moment.toISOString() : undefined;
}

function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

function isLongerThan(value: string, longest: number): boolean {
  if (value.length <= longest) return false;
  // A code point takes at most two units; past that there is nothing to count.
  return value.length > longest * 2 || Array.from(value).length > longest;
}
