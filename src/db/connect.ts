import { Pool, type ClientBase, type PoolClient } from 'pg';
import { execute, PreparedQuery } from './prepared-query.ts';
import { BEGIN, connectionSettings, Session } from './session.ts';
import { observeWaits, timed, type DatabaseObserver } from './observe.ts';
import { formOf, valuesOf, type Statement } from './statement.ts';
import { DatabaseUnavailable, isBroken, needsNewConnection, toUnavailable } from './unavailable.ts';

/** Runs statements: the pool, or one transaction. */
export type Queryable = {
  /** The first row, or undefined. @throws {DatabaseUnavailable} */
  row<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row | undefined>;
  /** @throws {DatabaseUnavailable} */
  rows<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]>;
};

/** An open transaction, which holds a connection until it is committed or rolled back. */
export type Transaction = Queryable & {
  /** @throws {DatabaseUnavailable} when the outcome is unknown; nothing is left to roll back */
  commit(): Promise<void>;
  rollback(): Promise<void>;
};

export type Database = Queryable & {
  /** For what statements cannot do: COPY, LISTEN, migrations. */
  readonly pool: Pool;
  /** Whether statements are waiting for a connection. */
  isBehind: () => boolean;
  begin(): Promise<Transaction>;
  /** Runs `work` in one transaction; it must use its argument for every statement. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** How many requests may wait for a connection; further ones are rejected. */
const MAX_QUEUE = 1_000;

/** Idle connections that break within this time are reported once. */
const IDLE_ERROR_INTERVAL_MS = 1_000;

/**
 * Opens a pool on PostgreSQL. Nothing is connected until the first statement.
 * @param options.url a postgres:// address
 * @param options.connections maximum number of connections of this process
 * @param options.onIdleError called at most once a second when idle connections break; the pool replaces them
 */
export function connect(options: {
  url: string;
  connections: number;
  onIdleError: (error: Error) => void;
  observer?: DatabaseObserver;
}): Database {
  const { observer } = options;
  const pool = new Pool({
    ...connectionSettings(options.url),
    max: options.connections,
    Client: Session as unknown as new () => ClientBase,
  });
  if (observer) observeWaits(pool, observer);
  let reportedAt = -Infinity;
  pool.on('error', (error) => {
    if (performance.now() - reportedAt < IDLE_ERROR_INTERVAL_MS) return;
    reportedAt = performance.now();
    options.onIdleError(error);
  });

  async function rows<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]> {
    requireRoom(pool);
    // The pool notices broken idle connections late, so the next one may be broken too.
    for (let retries = statement.reads ? options.connections : 0; ; retries--) {
      try {
        return await rowsOf(pool, statement, parameters, observer);
      } catch (error) {
        const mayRetry = retries > 0 && error instanceof DatabaseUnavailable && isBroken(error.cause);
        if (!mayRetry) throw error;
      }
    }
  }

  return {
    pool,
    // A statement waits for a moment although a connection is free: the pool hands it over in the next tick.
    isBehind: () => pool.waitingCount > pool.idleCount + options.connections - pool.totalCount,
    rows,
    async row(statement, parameters) {
      return (await rows(statement, parameters))[0];
    },
    begin: () => begin(pool, observer),
    async transaction(work) {
      const transaction = await begin(pool, observer);
      const result = await Promise.try(work, transaction).catch(async (cause: unknown) => {
        await transaction.rollback();
        throw toUnavailable(cause);
      });
      await transaction.commit();
      return result;
    },
    close: () => pool.end(),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

function requireRoom(pool: Pool): void {
  if (pool.waitingCount < MAX_QUEUE) return;
  throw new DatabaseUnavailable('too many requests wait for a database connection');
}

async function begin(pool: Pool, observer: DatabaseObserver | undefined): Promise<Transaction> {
  requireRoom(pool);
  const client = await timed('connect for a transaction', observer, () => pool.connect());
  let broken: Error | undefined;

  async function rows<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]> {
    try {
      return await rowsOf(client, statement, parameters, observer);
    } catch (error) {
      if (needsNewConnection(error)) broken = error;
      throw error;
    }
  }

  /** A broken connection needs no rollback: closing it rolls back, too. */
  async function rollback(): Promise<void> {
    if (!broken) {
      await client.query('rollback').catch((error: Error) => {
        broken = error;
      });
    }
    client.release(broken);
  }

  async function run(title: 'begin' | 'commit', text: string = title): Promise<void> {
    try {
      await timed(title, observer, () => client.query(text));
    } catch (error) {
      if (needsNewConnection(error)) broken = error;
      await rollback();
      throw error;
    }
  }

  await run('begin', BEGIN);
  return {
    rows,
    async row(statement, parameters) {
      return (await rows(statement, parameters))[0];
    },
    async commit() {
      await run('commit');
      client.release();
    },
    rollback,
  };
}

function rowsOf<P extends object, Row>(
  client: Pool | PoolClient,
  statement: Statement<P, Row>,
  parameters: P,
  observer: DatabaseObserver | undefined,
): Promise<Row[]> {
  const form = formOf(statement, parameters);
  const query = new PreparedQuery(form, valuesOf(form, parameters));
  return timed(form.title, observer, () => execute(client, query) as Promise<Row[]>);
}
