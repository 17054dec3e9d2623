import { z } from 'zod';
import { changeFields } from '../changes/schema.ts';
import { namedCompany } from '../companies/named.ts';
import { timestamp, uuid } from '../http/fields.ts';

/** What was done to one resource; several changes of it count as one. */
const deed = z.strictObject({
  ...changeFields.pick({ resource: true, resource_id: true, action: true, fields: true, values: true }).shape,
  title: z.string().nullable().meta({ description: 'Title of a task or an offer, or name of a contact.' }),
});

/** What one actor did at one company, or to one contact, within a short time. */
const activity = z.strictObject({
  at: timestamp,
  actor: z.strictObject({
    kind: changeFields.shape.actor.shape.kind,
    id: z.string().nullable(),
    name: z.string().nullable().meta({ description: 'Of the person or the API key.' }),
  }),
  company: namedCompany.nullable(),
  contact: z.strictObject({ id: uuid, name: z.string() }).nullable(),
  deeds: z.array(deed),
  more: z.int().meta({ description: 'Deeds left out.' }),
  others: z.int().meta({
    description: 'Other companies, contacts or tasks to which the same was done at once, as in an import.',
  }),
});

export const activityAnswer = z.strictObject({ data: z.array(activity) });

export type Deed = z.output<typeof deed>;
export type Activity = z.output<typeof activity>;
