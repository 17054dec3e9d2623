import { z } from 'zod';
import type { Generated } from 'kysely';
import { instant, requiredText, text, timestamp, timestampWithoutZone, uuid } from '../http/fields.ts';

/** What a caller sets on creation and may change later. */
const fields = {
  title: requiredText(255).meta({ examples: ['Ring om fornyelse'] }),
  description: text(20_000).nullable(),
  due_date: instant.meta({
    description:
      'With Z or an offset. For a date-only task, a moment of the intended date in the team’s time zone.',
  }),
  has_time_specified: z.boolean().meta({ description: 'False for a date-only task.' }),
  user_id: uuid.meta({ description: 'Assignee: a user of the workspace.' }),
  related_company_id: uuid.nullable().meta({ description: 'CRM id of the linked company.' }),
};

const changeable = { ...fields, completed: z.boolean() };

const task = z
  .strictObject({
    id: uuid,
    title: z.string(),
    description: z.string().nullable(),
    due_date: timestamp,
    has_time_specified: z.boolean(),
    user_id: uuid,
    related_company_id: uuid.nullable(),
    completed: z.boolean(),
    created_at: timestamp,
    updated_at: timestampWithoutZone.meta({ description: 'In UTC.' }),
  })
  .meta({ id: 'Task' });

export const taskCreate = z
  .strictObject({
    id: uuid
      .optional()
      .meta({ description: 'Save it before sending: a repeat after a timeout then answers 409.' }),
    ...fields,
    description: fields.description.default(null),
    has_time_specified: fields.has_time_specified.default(true),
    related_company_id: fields.related_company_id.default(null),
  })
  .meta({ id: 'TaskCreate' });

export const taskUpdate = z.strictObject(changeable).partial().meta({ id: 'TaskUpdate' });
export const taskParams = z.strictObject({ id: uuid });
export const taskAnswer = z.strictObject({ data: task });

export type Task = z.output<typeof task>;
export type TaskCreate = z.output<typeof taskCreate>;
export type TaskUpdate = z.output<typeof taskUpdate>;

export const TASK_COLUMNS = Object.keys(task.shape) as (keyof Task)[];
export const TASK_CREATED = Object.keys(taskCreate.shape) as (keyof TaskCreate)[];
export const TASK_CHANGEABLE = Object.keys(changeable) as (keyof TaskUpdate)[];

export type TasksTable = Omit<Task, 'completed' | 'created_at' | 'updated_at'> & {
  tenant_id: string;
  completed: Generated<boolean>;
  created_at: Generated<string>;
  updated_at: Generated<string>;
};
