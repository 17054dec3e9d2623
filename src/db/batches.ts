import type { Queryable } from './connect.ts';
import type { Statement } from './statement.ts';

/** The most rows that one statement removes, so that it blocks nobody for long and a standby keeps up. */
const BATCH = 1_000;

type Batches = { batch?: number | undefined; signal?: AbortSignal | undefined };

/** Repeats a statement that removes at most a batch of rows, until none are left. @returns how many it removed */
export function removeInBatches(
  db: Queryable,
  statement: Statement<{ batch: number }, object>,
  options?: Batches,
): Promise<number> {
  return inBatches(async (batch) => (await db.rows(statement, { batch })).length, options);
}

/** The same for a function, which returns how many rows it removed. */
export async function inBatches(
  remove: (batch: number) => Promise<number>,
  { batch = BATCH, signal }: Batches = {},
): Promise<number> {
  let removed = 0;
  for (;;) {
    if (signal?.aborted) return removed;
    const last = await remove(batch);
    removed += last;
    if (last < batch) return removed;
  }
}
