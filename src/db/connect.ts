import { Pool, type ClientBase, type PoolClient } from 'pg';
import { connectionSettings, Session } from './session.ts';
import { valuesOf, type Statement } from './statement.ts';
import { DatabaseUnavailable, isBroken, isReadOnly, toUnavailable } from './unavailable.ts';

/** What statements run on: the pool, or one transaction. */
export type Queryable = {
  /** The first row, or undefined. @throws {DatabaseUnavailable} */
  row<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row | undefined>;
  /** @throws {DatabaseUnavailable} */
  rows<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]>;
};

export type Database = Queryable & {
  /** For what statements cannot do: COPY, LISTEN, migrations. */
  readonly pool: Pool;
  /** Whether work has been waiting for connections for a while, so that more of it would only wait longer. */
  isBehind: () => boolean;
  /** Runs `work` in one transaction: what it does through its argument is committed as a whole or not at all. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** Requests that may wait for a connection before new ones are turned away. */
const LONGEST_QUEUE = 1_000;

/** A queue so long that stays so for these milliseconds is overload; a shorter one, or a burst, is worked off. */
const OVERLOAD_QUEUE = 256;
const OVERLOAD_AFTER = 50;

/** Milliseconds that overload is taken to last at least: whatever is let in at once would be queued again. */
const OVERLOAD_LASTS = 1_000;

/** Milliseconds a statement may wait for a connection during overload; what has waited longer is turned away. */
const OVERLOAD_WAIT = 15;

/** Connections that break within this time are reported once. */
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
}): Database {
  const pool = new Pool({
    ...connectionSettings(options.url),
    max: options.connections,
    Client: Session as unknown as new () => ClientBase,
  });
  const overload = overloadWatch(pool, options.connections);
  let reportedAt = -Infinity;
  pool.on('error', (error) => {
    if (performance.now() - reportedAt < IDLE_ERROR_INTERVAL_MS) return;
    reportedAt = performance.now();
    options.onIdleError(error);
  });

  async function rows<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]> {
    if (pool.waitingCount >= LONGEST_QUEUE) {
      throw new DatabaseUnavailable('too many requests wait for a database connection');
    }
    try {
      return await send(statement, parameters);
    } catch (error) {
      const again = statement.reads && error instanceof DatabaseUnavailable && isBroken(error.cause);
      if (!again) throw error;
      return send(statement, parameters);
    }
  }

  async function send<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]> {
    const mustWait = pool.idleCount === 0 && pool.totalCount >= options.connections;
    return mustWait ? sendInTurn(statement, parameters) : rowsOf(pool, statement, parameters);
  }

  /** Those that waited longest are turned away first, so that the others are answered soon. */
  async function sendInTurn<P extends object, Row>(
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]> {
    const asked = performance.now();
    const client = await pool.connect().catch((cause: unknown) => {
      throw toUnavailable(cause);
    });
    let failed: Error | undefined;
    try {
      if (overload.isOn() && performance.now() - asked > OVERLOAD_WAIT) {
        throw new DatabaseUnavailable('the queue for a database connection is too long');
      }
      return await rowsOf(client, statement, parameters);
    } catch (error) {
      // As the pool does after a statement of its own that failed.
      if (error instanceof DatabaseUnavailable && error.cause === undefined) throw error;
      failed = error as Error;
      throw error;
    } finally {
      client.release(failed);
    }
  }

  return {
    pool,
    isBehind: overload.isBehind,
    rows,
    async row(statement, parameters) {
      return (await rows(statement, parameters))[0];
    },
    transaction: (work) => transact(pool, work),
    close: () => pool.end(),
  };
}

/**
 * Tells overload from a burst; asked at each request. While there is overload, a queue is kept just long enough
 * that no connection runs out of work, until it was empty.
 */
function overloadWatch(pool: Pool, connections: number): { isBehind: () => boolean; isOn: () => boolean } {
  let shortAt = performance.now();
  let since: number | undefined;
  return {
    isOn: () => since !== undefined,
    isBehind() {
      const now = performance.now();
      const waiting = pool.waitingCount;
      if (since !== undefined) {
        if (waiting > 0 || now - since < OVERLOAD_LASTS) return waiting >= connections;
        since = undefined;
      }
      if (waiting < OVERLOAD_QUEUE) shortAt = now;
      else if (now - shortAt > OVERLOAD_AFTER) since = now;
      return since !== undefined;
    },
  };
}

async function transact<T>(pool: Pool, work: (transaction: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw toUnavailable(cause);
  });
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work({
      rows: (statement, parameters) => rowsOf(client, statement, parameters),
      row: async (statement, parameters) => (await rowsOf(client, statement, parameters))[0],
    });
    await client.query('commit');
    return result;
  } catch (cause) {
    // A server that has become read-only is left, so that the next connection finds the one that accepts writes.
    if (isReadOnly(cause)) broken = cause;
    await client.query('rollback').catch((error: Error) => {
      broken = error;
    });
    throw toUnavailable(cause);
  } finally {
    client.release(broken);
  }
}

async function rowsOf<P extends object, Row>(
  client: Pool | PoolClient,
  statement: Statement<P, Row>,
  parameters: P,
): Promise<Row[]> {
  try {
    const values = valuesOf(statement, parameters);
    const result = await client.query({ name: statement.name, text: statement.text, values });
    return result.rows as Row[];
  } catch (cause) {
    throw toUnavailable(cause);
  }
}
