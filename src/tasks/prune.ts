import { sql } from 'kysely';
import { pruning } from '../changes/deleted.ts';
import { wordsOfGone } from '../db/search.ts';
import { taskSubject, taskWords } from './store.ts';

/**
 * Removes completed tasks that were last changed before a time, and erases the stored rows of tasks that were
 * deleted before it. A task that is reopened meanwhile stays.
 */
export const pruneTasks = pruning('delete old tasks', {
  table: 'tasks',
  subject: taskSubject,
  ended: sql`completed`,
  at: 'updated_at',
  // An open task would have stayed, so the time of its deletion counts.
  deletedAt: sql`case
    when ("row" ->> 'completed')::boolean then ("row" ->> 'updated_at')::timestamptz else deleted_at end`,
  also: (tenant) => [wordsOfGone(taskWords, tenant)],
});
