import { sql } from 'kysely';
import { reading } from '../statement.ts';

/** Whether tables are spread over several nodes: a statement that locks or writes then names one workspace. */
export const findSharding = reading(
  'find sharding',
  () => sql<{ is_sharded: boolean }>`
    select exists (select from pg_extension where extname = 'citus') as is_sharded`,
);
