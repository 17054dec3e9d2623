import { sql } from 'kysely';
import { pruning } from '../changes/deleted.ts';
import { noteOf } from './store.ts';

/** Removes notes that were written before a time, and the stored rows of those that were deleted. */
export const pruneNotes = pruning('delete old notes', {
  table: 'timeline_entries',
  subject: noteOf('gone'),
  ended: sql`type = 'add_comment'`,
  at: 'created_at',
  deletedAt: sql`("row" ->> 'created_at')::timestamptz`,
});
