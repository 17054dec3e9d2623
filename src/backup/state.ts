import { sql } from 'kysely';
import { reading } from '../db/statement.ts';

/** What became of the backups that the service makes by itself; ages are in seconds. */
export type BackupState = {
  made_at: string | null;
  age: number | null;
  file: string | null;
  bytes: number | null;
  failed_at: string | null;
  error: string | null;
  is_failing: boolean;
};

/** Nothing comes back before the first one. */
export const findBackupState = reading(
  'find state of backups',
  () => sql<BackupState>`select made_at, extract(epoch from now() - made_at)::float8 as age, file, bytes, failed_at, error,
    coalesce(failed_at > made_at, failed_at is not null) as is_failing from backup_state`,
);
