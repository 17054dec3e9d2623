import type { Pool, PoolClient } from 'pg';
import { currentWork } from '../tracing/work.ts';
import { toUnavailable } from './unavailable.ts';

/** Receives how long statements take and how long they wait for a connection. */
export type DatabaseObserver = {
  /** `isAnswered`: whether the statement succeeded. */
  onStatement: (title: string, milliseconds: number, isAnswered: boolean) => void;
  onWait: (milliseconds: number) => void;
};

/** The most statements recorded for a request. */
const MAX_SHOWN = 50;

/**
 * Executes a statement, and reports its time to the observer and to the request that it belongs to.
 * @throws {DatabaseUnavailable}
 */
export async function timed<T>(
  title: string,
  observer: DatabaseObserver | undefined,
  execute: () => Promise<T>,
): Promise<T> {
  const work = currentWork.getStore();
  const part = work?.span?.startStatement(title);
  const started = performance.now();
  let error: unknown;
  try {
    return await execute();
  } catch (cause) {
    error = cause;
    throw toUnavailable(cause);
  } finally {
    const ms = performance.now() - started;
    part?.end({ error });
    observer?.onStatement(title, ms, error === undefined);
    if (work && work.executed.length < MAX_SHOWN)
      work.executed.push({ statement: title, ms: Math.round(ms * 10) / 10 });
  }
}

type Taken = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/** Measures the wait for each connection of the pool, also for those that `pool.query` takes. */
export function observeWaits(pool: Pool, { onWait }: DatabaseObserver): void {
  const connect = pool.connect.bind(pool) as (taken: Taken) => void;
  const observed = (taken?: Taken): Promise<PoolClient> | undefined => {
    if (!taken) {
      return new Promise((resolve, reject) => {
        void observed((error, client) => (error ? reject(error) : resolve(client!)));
      });
    }
    const started = performance.now();
    connect((error, client, release) => {
      onWait(performance.now() - started);
      taken(error, client, release);
    });
    return undefined;
  };
  pool.connect = observed as Pool['connect'];
}
