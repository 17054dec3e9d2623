import { sql, type SqlBool } from 'kysely';
import { byUpdate, rangeSieve, updatedSinceOf } from '../db/listing-range.ts';
import type { Listing } from '../db/listing-shape.ts';
import { hasWords, searchSieve } from '../db/search.ts';
import type { Task } from './schema.ts';
import { taskColumns, taskWords } from './store.ts';

const table = 'tasks';
const anyOf = sql<SqlBool>`t.completed in (false, true)`;
const dueDate = { column: sql`t.due_date`, sorts: ['due_date'], anyOf };

const search = searchSieve(taskWords, (p) => hasWords(p['q'], null));

export const taskList: Listing<Task> = {
  title: 'tasks',
  table,
  columns: () => taskColumns,
  id: 'uuid',
  longText: ({ description }) => description,
  sorts: { due_date: { by: dueDate.column, type: 'timestamptz' }, ...byUpdate },
  equal: {
    user_id: (id) => sql`t.user_id = ${id}`,
    company_id: (id) => sql`t.related_company_id = ${id}`,
    completed: (value) => sql`t.completed = ${value}`,
  },
  sieves: {
    q: search,
    due_from: rangeSieve({ table }, 'due_from', { ...dueDate, end: 'from' }),
    due_before: rangeSieve({ table }, 'due_before', { ...dueDate, end: 'before' }),
    updated_since: updatedSinceOf({ table }, anyOf),
  },
  split: 'completed',
};
