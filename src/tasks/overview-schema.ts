import { z } from 'zod';
import { namedCompany } from '../companies/named.ts';
import { cursorPage } from '../http/paging.ts';
import { timestamp } from '../http/fields.ts';
import { namedPerson } from '../members/named.ts';
import { userId } from '../members/schema.ts';
import { DUE_GROUPS } from './days.ts';
import { task } from './schema.ts';

export const taskGroupsQuery = z.strictObject({
  user_id: userId.optional().meta({ description: 'Tasks of this user; of everybody when absent.' }),
});

export const taskGroupsAnswer = z.strictObject({
  data: z.strictObject({
    today: z.string().meta({ format: 'date', description: 'The date in the time zone of the workspace.' }),
    time_zone: z.string(),
    groups: z.array(
      z.strictObject({
        group: z.enum([...DUE_GROUPS, 'done']),
        due_from: timestamp.nullable(),
        due_before: timestamp.nullable(),
        count: z.int(),
        is_capped: z.boolean().meta({ description: 'There are more than `count`.' }),
      }),
    ),
  }),
});

const taskRow = z.strictObject({
  ...task.shape,
  etag: z.string().meta({ description: 'To send as If-Match, in quotes.' }),
  company: namedCompany.nullable(),
  user: namedPerson,
});
export const taskRowsAnswer = z.strictObject({ data: z.array(taskRow), page: cursorPage });

export type TaskRow = z.output<typeof taskRow>;
