import { sql } from 'kysely';
import { statement } from '../db/statement.ts';

/** The result of scheduled backups; ages are in seconds. */
export type BackupState = {
  made_at: string | null;
  age: number | null;
  file: string | null;
  bytes: number | null;
  /** Null once a backup has been made. */
  failed_at: string | null;
  failed_age: number | null;
  error: string | null;
  is_failing: boolean;
};

/** No row before the first backup. Ages do not use now(), which stays at the start of a transaction that waits. */
export const findBackupState = statement(
  'find state of backups',
  () => sql<BackupState>`select made_at, extract(epoch from clock_timestamp() - made_at)::float8 as age, file, bytes, failed_at, error,
    extract(epoch from clock_timestamp() - failed_at)::float8 as failed_age, failed_at is not null as is_failing from backup_state`,
);
