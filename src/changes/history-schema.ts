import { z } from 'zod';
import { text, timestamp } from '../http/fields.ts';
import { queryInstant } from '../http/filters.ts';
import { cursorPage, cursorPaging } from '../http/paging.ts';
import { namedPerson } from '../members/named.ts';
import { ACTIONS, ACTORS, change, RESOURCES } from './schema.ts';

/** `title` is the name today of what the entry is about; null where that is gone. */
const historyEntry = z.strictObject({
  ...change.shape,
  actor: z.strictObject({ kind: z.enum(ACTORS), id: z.string().nullable(), name: z.string().nullable() }),
  title: z.string().nullable(),
});

const filters = {
  actor: text(64).optional().meta({ description: 'The id of a person or key, or the name of a command.' }),
  actor_kind: z.enum(ACTORS).optional(),
  resource: z.enum(RESOURCES).optional(),
  action: z.enum(ACTIONS).optional(),
  from: queryInstant.optional().meta({ description: 'Only entries from this time on.' }),
  until: queryInstant.optional().meta({ description: 'Only entries before this time.' }),
};

export const historyQuery = z.strictObject({ ...filters, ...cursorPaging });

export const historyExportQuery = z.strictObject(filters);

export const historyAnswer = z.strictObject({
  data: z.array(historyEntry),
  people: z.array(namedPerson).meta({ description: 'Those whose ids are in `values`.' }),
  page: cursorPage,
});

const historyActor = z.strictObject({
  kind: z.enum(['user', 'key']),
  id: z.string(),
  name: z.string(),
  state: z.enum(['current', 'revoked', 'expired', 'removed']),
  ended_at: timestamp.nullable(),
});

export const historyActorsAnswer = z.strictObject({ data: z.array(historyActor) });

export type HistoryActor = z.output<typeof historyActor>;

export type HistoryEntry = z.output<typeof historyEntry>;

export type HistoryFilters = z.output<typeof historyExportQuery>;

/** Fields whose values are ids of people. */
export const PEOPLE = ['assigned_to', 'user_id'];

export function idsInValues({ values }: HistoryEntry, fields: readonly string[]): (string | null)[] {
  return fields.flatMap((field) => (values[field] ?? []) as (string | null)[]);
}
