import { DatabaseError, Pool, type ClientConfig, type PoolClient } from 'pg';
import { DatabaseUnavailable, isBroken, isOutOfReach } from './unavailable.ts';
import { valuesOf, type Statement } from './statement.ts';
import { types } from './types.ts';

/** Something statements run on: the pool, or one transaction. */
export type Queryable = {
  /** The first row, or undefined. @throws {DatabaseUnavailable} */
  first<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row | undefined>;
  /** @throws {DatabaseUnavailable} */
  many<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]>;
};

export type Database = Queryable & {
  /** For what statements cannot do: COPY, LISTEN, migrations. */
  readonly pool: Pool;
  /** Runs `work` in one transaction; what it does through its argument is done whole or not at all. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** Times in milliseconds. A statement is given up by the server first, then by us, should the line be dead. */
const STATEMENT_TIMEOUT = 8_000;
const QUERY_TIMEOUT = 9_000;
const LOCK_TIMEOUT = 5_000;
const CONNECT_TIMEOUT = 3_000;
const IDLE_IN_TRANSACTION_TIMEOUT = 10_000;

/** Requests that may wait for a connection before new ones are turned away. */
const LONGEST_QUEUE = 1_000;

/**
 * Opens a pool on PostgreSQL. Nothing is connected until the first statement.
 * @param options.url a postgres:// address
 * @param options.connections the most connections this process holds
 * @param options.onIdleError told when a connection that nobody uses breaks; the pool replaces it by itself
 */
export function connect(options: {
  url: string;
  connections: number;
  onIdleError: (error: Error) => void;
}): Database {
  const pool = new Pool({ ...connectionSettings(options.url), max: options.connections });
  pool.on('error', options.onIdleError);

  async function rows<P extends object, Row>(statement: Statement<P, Row>, parameters: P): Promise<Row[]> {
    if (pool.waitingCount >= LONGEST_QUEUE) {
      throw new DatabaseUnavailable('too many requests wait for a database connection');
    }
    try {
      return await rowsOf(pool, statement, parameters);
    } catch (error) {
      const again = statement.reads && error instanceof DatabaseUnavailable && isBroken(error.cause);
      if (!again) throw error;
      return rowsOf(pool, statement, parameters);
    }
  }

  return {
    pool,
    many: rows,
    async first(statement, parameters) {
      return (await rows(statement, parameters))[0];
    },
    transaction: (work) => transact(pool, work),
    close: () => pool.end(),
  };
}

/** What every connection of this service asks of PostgreSQL, the pool's and those that listen. */
export function connectionSettings(url: string): ClientConfig {
  return {
    connectionString: inUtc(url),
    application_name: 'kundebok',
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    statement_timeout: STATEMENT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
    lock_timeout: LOCK_TIMEOUT,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT,
    keepAlive: true,
  };
}

/** What an address says itself overrides a client's settings: so these are put behind its own. */
function inUtc(url: string): string {
  const address = new URL(url);
  const options = [address.searchParams.get('options'), '-c timezone=UTC -c datestyle=ISO'];
  address.searchParams.set('options', options.filter(Boolean).join(' '));
  return address.href;
}

async function transact<T>(pool: Pool, work: (transaction: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw outOfReach(cause);
  });
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work({
      many: (statement, parameters) => rowsOf(client, statement, parameters),
      first: async (statement, parameters) => (await rowsOf(client, statement, parameters))[0],
    });
    await client.query('commit');
    return result;
  } catch (cause) {
    await client.query('rollback').catch((error: Error) => {
      broken = error;
    });
    throw outOfReach(cause);
  } finally {
    client.release(broken);
  }
}

async function rowsOf<P extends object, Row>(
  on: Pool | PoolClient,
  statement: Statement<P, Row>,
  parameters: P,
): Promise<Row[]> {
  try {
    const values = valuesOf(statement, parameters);
    const result = await on.query({ name: statement.name, text: statement.text, values });
    return result.rows as Row[];
  } catch (cause) {
    throw outOfReach(cause);
  }
}

function outOfReach(cause: unknown): unknown {
  // PostgreSQL quotes the refused row there, and what people write does not belong in a log.
  if (cause instanceof DatabaseError) cause.detail = cause.where = undefined;
  return isOutOfReach(cause) ? new DatabaseUnavailable('the database did not answer', { cause }) : cause;
}
