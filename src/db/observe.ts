import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';

/** Receives how long statements take and how long they wait for a connection. */
export type DatabaseObserver = {
  onStatement: (title: string, milliseconds: number) => void;
  onWait: (milliseconds: number) => void;
};

/** A statement of a request; `ms` includes the wait for a connection. */
export type Executed = { statement: string; ms: number };

/** The most statements stored for a request. */
const MAX_SHOWN = 50;

const underWay = new AsyncLocalStorage<Executed[]>();

/** Runs `work`; statements that it executes, also asynchronously, are added to `executed`. */
export function noteStatements(executed: Executed[], work: () => void): void {
  underWay.run(executed, work);
}

/** Executes a statement, and reports its time to the observer and to the request that it belongs to. */
export async function timed<T>(
  title: string,
  observer: DatabaseObserver | undefined,
  execute: () => Promise<T>,
): Promise<T> {
  const executed = underWay.getStore();
  const started = performance.now();
  try {
    return await execute();
  } finally {
    const ms = performance.now() - started;
    observer?.onStatement(title, ms);
    if (executed && executed.length < MAX_SHOWN)
      executed.push({ statement: title, ms: Math.round(ms * 10) / 10 });
  }
}

type Taken = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/** Measures the wait for each connection of the pool, also for those that `pool.query` takes. */
export function observeWaits(pool: Pool, { onWait }: DatabaseObserver): void {
  const connect = pool.connect.bind(pool) as (taken: Taken) => void;
  const observed = (taken?: Taken): Promise<PoolClient> | undefined => {
    const started = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
    connect((error, client, release) => {
      onWait(performance.now() - started);
      if (taken) taken(error, client, release);
      else if (error) reject(error);
      else resolve(client!);
    });
    return taken ? undefined : promise;
  };
  pool.connect = observed as Pool['connect'];
}
