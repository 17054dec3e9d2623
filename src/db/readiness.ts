import type { Pool } from 'pg';
import { schemaState } from './migrate.ts';
import { findReadOnlyReason } from './read-only.ts';

const ADVICE = { behind: 'run kundebok migrate', ahead: 'start the newer release' };

/** Why the service cannot do its work on this database, undefined when it can. */
export async function findObstacle(pool: Pool): Promise<string | undefined> {
  const { state } = await schemaState(pool);
  if (state !== 'current') return `the database schema is ${state}; ${ADVICE[state]}`;
  return findReadOnlyReason(pool);
}
