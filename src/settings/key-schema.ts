import { z } from 'zod';
import { futureInstant, requiredText, timestamp, wholeNumber } from '../http/fields.ts';
import { flag } from '../http/filters.ts';
import { PERMISSIONS } from '../keys/permissions.ts';
import { person } from '../members/named.ts';

/** The most days that a replaced key works beside its successor. */
const MAX_OVERLAP_DAYS = 30;

const permission = z.enum(PERMISSIONS, { error: `must be one of ${PERMISSIONS.join(', ')}` });

export const keyParams = z.strictObject({
  id: z.string().regex(/^[0-9A-Za-z]{1,64}$/, 'must be the id of a key'),
});

export const keysQuery = z.strictObject({
  ended: flag.optional().meta({ description: 'Keys that have ended, instead of those that work.' }),
});

export const keyCreate = z.strictObject({
  name: requiredText(255),
  permissions: z.array(permission).min(1, 'must name at least one permission').max(PERMISSIONS.length),
  expires_at: futureInstant
    .nullable()
    .optional()
    .meta({ description: 'Null for a key that does not expire.' }),
});

export const keyRotate = z.strictObject({
  overlap_hours: wholeNumber(0, MAX_OVERLAP_DAYS * 24).meta({
    description: 'How long the old key works beside the new one; 0 ends it at once.',
  }),
});

export const key = z.strictObject({
  id: z.string(),
  name: z.string(),
  creator: person,
  permissions: z.array(permission),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  replaced_by: z.string().nullable(),
  state: z.enum(['active', 'replaced', 'expired', 'revoked']),
  last_used_at: timestamp.nullable(),
  requests_24h: z.int(),
  errors_24h: z.int(),
  may: z
    .strictObject({ rotate: z.boolean(), revoke: z.boolean() })
    .meta({ description: 'What the person who asks may do with it.' }),
});

export type ListedKey = z.output<typeof key>;

export const keysAnswer = z.strictObject({
  data: z.array(key),
  has_more: z.boolean().meta({ description: 'Whether older ones are left out.' }),
});

export const keyAnswer = z.strictObject({ data: key });

export const newKeyAnswer = z.strictObject({
  data: z.strictObject({ key, token: z.string().meta({ description: 'The key itself, shown this once.' }) }),
});
