import { sql } from 'kysely';
import { deleteRecorded, restoreRecorded } from '../changes/deleted.ts';
import type { Subject } from '../changes/record.ts';
import { etag, insertion, insertRecorded, list, updateRecorded, type IfMatch } from '../changes/write.ts';
import { insertedColumns, patchedColumns, type PatchParameters } from '../db/columns.ts';
import { wordsOfChanged, wordsOfGone, wordsOfNew, type Words } from '../db/search.ts';
import { statement, statementBy } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import {
  TASK_CHANGEABLE,
  TASK_COLUMNS,
  TASK_CREATED,
  TASK_SHOWN,
  type Task,
  type TaskCreate,
  type TaskUpdate,
} from './schema.ts';

/** How the change log describes a task. */
export const taskSubject = {
  resource: 'task' as const,
  fields: TASK_CHANGEABLE,
  shown: TASK_SHOWN,
} satisfies Subject;

/** The words that tasks are searched by: those of their titles. */
export const taskWords: Words = { table: 'task_words', owner: 'task_id' };

/** The contract shows `updated_at` without a zone: as a timestamp without time zone PostgreSQL writes none. */
export const taskColumns = TASK_COLUMNS.map((column) =>
  column === 'updated_at' ? sql`updated_at at time zone 'UTC' as updated_at` : sql.ref(column),
);
const returned = [...taskColumns, etag];

type StoredTask = Task & { etag: string };

export const findTask = statement(
  'find task',
  (p: { tenant: string; id: string }) => sql<StoredTask>`
    select ${list(returned)} from tasks where tenant_id = ${p.tenant} and id = ${p.id}`,
);

/** Returns no row when the workspace has used the id. */
export const insertTask = statement('insert task', (p: Required<TaskCreate> & Change) =>
  insertRecorded<StoredTask>(p, {
    insert: insertion('tasks', p.tenant, insertedColumns(TASK_CREATED, p)),
    subject: taskSubject,
    returned,
    also: [wordsOfNew(taskWords)],
  }),
);

export const updateTask = statementBy(
  'has_title',
  'update task',
  (p: PatchParameters<Required<TaskUpdate>> & Change & IfMatch & { id: string }, isRenamed) =>
    updateRecorded<StoredTask>(p, {
      table: 'tasks',
      key: sql`id = ${p.id}`,
      set: patchedColumns(TASK_CHANGEABLE, p),
      subject: taskSubject,
      returned,
      also: isRenamed ? wordsOfChanged(taskWords, p.tenant) : [],
    }),
);

/** The statements that delete and restore a task. */
export const taskDeletion = {
  delete: statement('delete task', (p: Change & IfMatch & { id: string }) =>
    deleteRecorded(p, {
      table: 'tasks',
      key: sql`id = ${p.id}`,
      subject: taskSubject,
      also: [wordsOfGone(taskWords, p.tenant)],
    }),
  ),
  restore: statement('restore task', (p: Change & { id: string }) =>
    restoreRecorded<StoredTask>(p, {
      table: 'tasks',
      columns: ['tenant_id', ...TASK_COLUMNS, 'version'],
      subject: taskSubject,
      returned,
      also: [wordsOfNew(taskWords)],
    }),
  ),
};
