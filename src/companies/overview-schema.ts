import { z } from 'zod';
import { timestamp, uuid } from '../http/fields.ts';
import { flag } from '../http/filters.ts';
import { cursorPage } from '../http/paging.ts';
import { companiesQuery, company } from './schema.ts';

const { q, status, assigned_to, archived, sort, limit, cursor } = companiesQuery.shape;

const filters = {
  q,
  status,
  assigned_to,
  archived,
  deleted: flag
    .optional()
    .meta({ description: 'Only deleted companies; when absent, only those that are not deleted.' }),
};

export const overviewQuery = z.strictObject({ ...filters, sort, limit, cursor });
export const overviewCountQuery = z.strictObject(filters);

export const nextTask = z
  .strictObject({
    id: uuid,
    title: z.string(),
    due_date: timestamp,
    has_time_specified: z.boolean(),
    user_id: uuid,
  })
  .meta({ description: 'The open task that is due first.' });

const row = z.strictObject({ ...company.shape, updated_at: timestamp, next_task: nextTask.nullable() });

export const overviewAnswer = z.strictObject({ data: z.array(row), page: cursorPage });

export const countAnswer = z.strictObject({
  data: z.strictObject({
    count: z.int().nullable().meta({ description: 'Null where finding out would take too long.' }),
    has_more: z
      .boolean()
      .meta({ description: 'Whether there are more than `count`; true where that is null.' }),
  }),
});

const counts = z.strictObject({
  contacts: z.int(),
  open_tasks: z.int(),
  offers: z.int(),
});

/** The highest exact count; one more means that there are more. */
export const MAX_COUNT = 1_000;

export const countsAnswer = z.strictObject({
  data: counts.meta({ description: `Each at most ${MAX_COUNT + 1}, which means more than ${MAX_COUNT}.` }),
});

export const deletionAnswer = z.strictObject({
  data: z.strictObject({
    deleted_at: timestamp,
    user_id: uuid.nullable().meta({ description: 'Null where no person did it: a command of the operator.' }),
  }),
});

export type NextTask = z.output<typeof nextTask>;
export type CompanyCounts = z.output<typeof counts>;
export type Deletion = z.output<typeof deletionAnswer>['data'];
