import { z } from 'zod';
import { emailField, instantAsBound, isUuid, requiredText } from './fields.ts';

/** Filters of lists, as query parameters. */

/** `true` or `false`. */
export const flag = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .meta({ override: { type: 'boolean', enum: undefined } });

/** An id, or `none`. */
export const uuidOrNone = z
  .string()
  .refine((value) => value === 'none' || isUuid(value), 'must be a UUID or none')
  .overwrite((value) => value.toLowerCase())
  .meta({ override: { type: 'string' } });

const PLUS_IS_SPACE = '+ means a space in a query, so send it as %2B';

/** A timestamp with Z or an offset. */
export const queryInstant = z
  .string()
  .refine((value) => !/ \d\d:\d\d$/.test(value), {
    message: `must have a + before its offset: ${PLUS_IS_SPACE}`,
    abort: true,
  })
  .pipe(instantAsBound)
  .meta({ override: { type: 'string', format: 'date-time' }, examples: ['2026-01-15T09:00:00Z'] });

export const updatedSince = queryInstant.optional().meta({
  description:
    'Only what changed at this time or later. It can miss a change that was committed late: to stay in sync, read `GET /changes`.',
});

/** An email address, whose + is often sent unencoded. */
export const emailFilter = emailField((value) =>
  value.includes(' ') ? `; ${PLUS_IS_SPACE}` : '',
).optional();

/** Words to search for. */
export const searchWords = requiredText(100).optional();
