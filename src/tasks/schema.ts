import { z } from 'zod';
import { companyId } from '../companies/schema.ts';
import {
  instant,
  requiredText,
  suppliedId,
  text,
  timestamp,
  timestampWithoutZone,
  uuid,
} from '../http/fields.ts';
import { flag, queryInstant, updatedSince } from '../http/filters.ts';
import { cursorPage, cursorPaging } from '../http/paging.ts';
import { userId } from '../members/schema.ts';

/** Fields that a caller sets on creation and may change later. */
const fields = {
  title: requiredText(255).meta({ examples: ['Ring om fornyelse'] }),
  description: text(20_000).nullable(),
  due_date: instant.meta({
    description:
      'With Z or an offset; seconds may be left out. For a date-only task, a moment of the intended date in the team’s time zone.',
  }),
  has_time_specified: z.boolean().meta({ description: 'False for a date-only task.' }),
  user_id: userId.meta({ description: 'Assignee: a user of the workspace.' }),
  related_company_id: companyId.nullable().meta({ description: 'Id of the linked company.' }),
};

const changeable = { ...fields, completed: z.boolean() };

export const task = z
  .strictObject({
    id: uuid,
    ...changeable,
    title: z.string(),
    description: z.string().nullable(),
    due_date: timestamp,
    has_time_specified: z.boolean(),
    user_id: uuid,
    related_company_id: uuid.nullable(),
    created_at: timestamp,
    updated_at: timestampWithoutZone.meta({ description: 'In UTC.' }),
  })
  .meta({
    id: 'Task',
    examples: [
      {
        id: '018f3a54-91d0-7c44-b1aa-6b7c8d9e0f10',
        title: 'Ring om fornyelse',
        description: null,
        due_date: '2026-01-15T08:00:00.000Z',
        has_time_specified: true,
        user_id: '018f3a52-0000-7000-8000-000000000001',
        related_company_id: '018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10',
        completed: false,
        created_at: '2026-01-10T12:00:00.000Z',
        updated_at: '2026-01-10T12:00:00.000',
      },
    ],
  });

export const taskCreate = z
  .strictObject({
    id: suppliedId,
    ...fields,
    description: fields.description.default(null),
    has_time_specified: fields.has_time_specified.default(true),
    related_company_id: fields.related_company_id.default(null),
  })
  .meta({
    id: 'TaskCreate',
    examples: [
      {
        id: '018f3a54-91d0-7c44-b1aa-6b7c8d9e0f10',
        user_id: '018f3a52-0000-7000-8000-000000000001',
        title: 'Ring om fornyelse',
        due_date: '2026-01-15T09:00:00+01:00',
        related_company_id: '018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10',
      },
    ],
  });

export const taskUpdate = z
  .strictObject(changeable)
  .partial()
  .meta({ id: 'TaskUpdate', examples: [{ completed: true }] });
export const taskParams = z.strictObject({ id: uuid.meta({ description: 'Id of the task.' }) });
export const taskAnswer = z.strictObject({ data: task });

export const tasksQuery = z.strictObject({
  user_id: userId.optional().meta({ description: 'Tasks of this user.' }),
  company_id: companyId.optional().meta({ description: 'Tasks at the company with this id.' }),
  completed: flag.optional().meta({ description: 'Open tasks alone, or completed ones.' }),
  due_from: queryInstant.optional().meta({ description: 'Tasks due at this time or later.' }),
  due_before: queryInstant.optional().meta({ description: 'Tasks due before this time.' }),
  updated_since: updatedSince,
  sort: z
    .enum(['id', 'due_date', 'updated_at', '-updated_at'])
    .optional()
    .meta({ description: '`id` when absent; ties are broken by id.' }),
  ...cursorPaging,
});
export const tasksAnswer = z.strictObject({ data: z.array(task), page: cursorPage });

export type Task = z.output<typeof task>;
export type TaskCreate = z.output<typeof taskCreate>;
export type TaskUpdate = z.output<typeof taskUpdate>;

export const TASK_COLUMNS = Object.keys(task.shape) as (keyof Task)[];
export const TASK_CREATED = Object.keys(taskCreate.shape) as (keyof TaskCreate)[];
/** Fields whose values the change log shows: statuses, flags, numbers and references, never text. */
export const TASK_SHOWN = [
  'has_time_specified',
  'user_id',
  'related_company_id',
  'completed',
] as const satisfies readonly (keyof TaskUpdate)[];
export const TASK_CHANGEABLE = Object.keys(changeable) as (keyof TaskUpdate)[];
