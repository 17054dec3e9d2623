import { z } from 'zod';
import { limitOf } from '../http/paging.ts';
import { isCursor } from '../http/cursor.ts';
import { timestamp, uuid } from '../http/fields.ts';

export const RESOURCES = ['company', 'note', 'contact', 'point', 'link', 'task', 'offer'] as const;
export type Resource = (typeof RESOURCES)[number];

export const ACTIONS = [
  'created',
  'updated',
  'archived',
  'unarchived',
  'deleted',
  'restored',
  'erased',
] as const;
export const ACTORS = ['key', 'user', 'register', 'command'] as const;

export const changeFields = z.strictObject({
  id: z.int().meta({ description: 'Ascending, but not necessarily consecutive.' }),
  at: timestamp,
  resource: z.enum(RESOURCES),
  resource_id: z.string(),
  orgnr: z.string().nullable().meta({ description: 'Of companies and notes.' }),
  contact_id: uuid.nullable().meta({ description: 'Of contacts, their details and company links.' }),
  action: z.enum(ACTIONS),
  fields: z
    .array(z.string())
    .meta({ description: 'Names of the fields that changed; on creation, of those set.' }),
  values: z
    .record(z.string(), z.array(z.unknown()).length(2))
    .meta({ description: 'Before and after of statuses, flags, numbers and references; never text.' }),
  actor: z.strictObject({ kind: z.enum(ACTORS), id: z.string().nullable() }),
  request_id: z.string().nullable(),
});

export const change = changeFields.meta({
  id: 'Change',
  examples: [
    {
      id: 4711,
      at: '2026-01-15T09:00:00.000Z',
      resource: 'offer',
      resource_id: '018f3a55-44aa-7d02-93bc-1a2b3c4d5e6f',
      orgnr: null,
      contact_id: null,
      action: 'updated',
      fields: ['status', 'weight'],
      values: { status: ['sent', 'accepted'], weight: [50, 100] },
      actor: { kind: 'key', id: 'vwResqGK3cvC' },
      request_id: '0d9c6c1e-7f1c-4f5c-9a51-1f4f4c5b7a10',
    },
  ],
});

/** Unlike the cursor of a list, a cursor of the log is not bound to filters and a sort. */
export const NO_PLACE = 'must be now, or a next_cursor of GET /changes';

export const changesQuery = z.strictObject({
  cursor: z
    .string()
    .refine((text) => text === 'now' || isCursor(text), NO_PLACE)
    .optional()
    .meta({
      description:
        '`next_cursor` of the previous answer; `now` starts at the end. When absent, starts at the oldest entry kept.',
    }),
  limit: limitOf({ max: 1_000, usual: 100 }).meta({
    description: 'The most entries to return; 100 when absent.',
  }),
  resource: z.enum(RESOURCES).optional().meta({ description: 'Only entries of this resource.' }),
  wait: limitOf({ min: 0, max: 30, usual: 0 }).meta({
    description: 'Seconds to wait for an entry when there is none; 0 when absent.',
  }),
});

export const changesAnswer = z.strictObject({
  data: z.array(change),
  page: z.strictObject({ size: z.int(), has_more: z.boolean(), next_cursor: z.string() }),
});

export type ChangeEntry = z.output<typeof change>;
