import type { Pool } from 'pg';
import { findSchemaState } from './migrate.ts';
import { findReadOnlyReason } from './read-only.ts';

/** Why the service cannot work on this database, or undefined if it can. */
export async function findObstacle(pool: Pool): Promise<string | undefined> {
  const { state, found, advice } = await findSchemaState(pool);
  return state === 'current' ? findReadOnlyReason(pool) : `${found}: ${advice}`;
}
