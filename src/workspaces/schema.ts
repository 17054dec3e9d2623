import { z } from 'zod';
import { requiredText, uuid } from '../http/fields.ts';
import { breaks } from '../http/rule.ts';

/** Languages of the application, and of the files that it exports. */
export const LANGUAGES = ['nb', 'en'] as const;

/** A time zone by its IANA name: an offset would be wrong for half of the year. */
const timeZone = z
  .string()
  .refine(isTimeZone, breaks('choice', 'must be an IANA time zone, for example Europe/Oslo'));

const fields = {
  name: requiredText(255),
  language: z.enum(LANGUAGES, { error: 'must be nb or en' }),
  time_zone: timeZone,
};

export const workspaceUpdate = z.strictObject(fields).partial();

/** With the same id, a retry after a lost answer creates no second workspace. */
export const workspaceCreate = z.strictObject({ id: uuid.optional(), name: fields.name });

export const workspaceAnswer = z.strictObject({
  data: z.strictObject({
    id: uuid,
    name: z.string(),
    language: z.enum(LANGUAGES),
    time_zone: z.string(),
  }),
});

function isTimeZone(value: string): boolean {
  if (!/^[A-Za-z]/.test(value) || value.length > 64) return false;
  try {
    Intl.DateTimeFormat('en', { timeZone: value });
    // Both must accept a name. Intl also accepts names that only ICU has, such as IST; Temporal, which is used for
    // days, also accepts times.
    Temporal.Now.zonedDateTimeISO(value);
    return true;
  } catch {
    // RangeError: no such zone.
    return false;
  }
}
