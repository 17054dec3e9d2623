import { sql } from 'kysely';
import type { Queryable } from './connect.ts';
import { statement } from './statement.ts';

/** The database's clock, which all processes of an installation share; their own may differ. */
export async function readClock(db: Queryable): Promise<string> {
  return (await db.row(clock, {}))!.now;
}

const clock = statement('read clock', () => sql<{ now: string }>`select clock_timestamp() as now`);
