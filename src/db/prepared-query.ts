import pg, { Pool, type Connection, type PoolClient, type Submittable } from 'pg';
import { types } from './types.ts';

/** What pg's own queries and cursors use of a connection, but pg's types do not declare. */
type Wire = Connection & {
  parsedStatements: Readonly<Record<string, string>>;
  parse(statement: { name: string | undefined; text: string }): void;
  bind(portal: { statement: string | undefined; values: readonly unknown[] }): void;
  describe(portal: { type: 'P' }): void;
  execute(): void;
  sync(): void;
};

// pg-cursor takes it from here, too; pg's types do not declare it.
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

// pg's types declare that a parser takes an oid, but it takes text.
const parserOf = types.getTypeParser.bind(types) as unknown as (oid: number) => (text: string) => unknown;

type Column = { name: string; parse: (text: string) => unknown };

/** The columns that the prepared statements of a connection return, by name of the statement. */
const columnsOf = new WeakMap<Connection, Map<string, readonly Column[]>>();

/**
 * One execution of a statement. pg's own query asks PostgreSQL each time for the columns of its rows. Those of a
 * prepared statement stay the same, since PostgreSQL rejects it (0A000) once they would change: so this class asks once
 * per connection, which takes a tenth off the processor time of most operations (docs/bench.md).
 */
export class PreparedQuery implements Submittable {
  readonly name: string | undefined;
  readonly text: string;
  /** Set by pg, which puts a time limit around it. */
  callback: ((error: Error | null, rows?: unknown[]) => void) | undefined;
  readonly #values: readonly unknown[];
  readonly #rows: unknown[] = [];
  #columns: readonly Column[] | undefined;
  #asksForColumns = false;
  #fault: Error | undefined;

  /** @param statement.name undefined for one that PostgreSQL plans each time */
  constructor(statement: { name: string | undefined; text: string }, values: readonly unknown[]) {
    this.name = statement.name;
    this.text = statement.text;
    // Converted here, so that a value that cannot be sent fails before anything is.
    this.#values = values.map(prepareValue);
  }

  submit(connection: Connection): void {
    const wire = connection as Wire;
    const { name, text } = this;
    this.#columns = name === undefined ? undefined : columnsOf.get(wire)?.get(name);
    // Sends all messages in one packet.
    wire.stream.cork();
    if (name === undefined || wire.parsedStatements[name] === undefined) wire.parse({ name, text });
    wire.bind({ statement: name, values: this.#values });
    this.#asksForColumns = this.#columns === undefined;
    if (this.#asksForColumns) wire.describe({ type: 'P' });
    wire.execute();
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#fault) return;
    try {
      const row: Record<string, unknown> = {};
      for (const [index, { name, parse }] of this.#columns!.entries()) {
        const text = fields[index]!;
        row[name] = text === null ? null : parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#fault = error as Error;
    }
  }

  handleCommandComplete(_message: unknown, connection: Connection): void {
    if (this.name === undefined || !this.#asksForColumns) return;
    columnsOf.getOrInsertComputed(connection, () => new Map()).set(this.name, this.#columns ?? []);
  }

  handleError(error: Error): void {
    this.callback!(error);
  }

  handleReadyForQuery(): void {
    this.callback!(this.#fault ?? null, this.#rows);
  }
}

/** Executes a query on a connection of the pool or on the given connection. @returns its rows */
export function execute(client: Pool | PoolClient, query: PreparedQuery): Promise<unknown[]> {
  // pg's types know no result of a query that is an object.
  if (client instanceof Pool) return client.query(query) as unknown as Promise<unknown[]>;
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
  query.callback = (error, rows) => (error ? reject(error) : resolve(rows!));
  client.query(query);
  // So that the stack leads to the caller, as that of the pool's errors does, and not to the socket.
  return promise.catch((error: Error) => {
    Error.captureStackTrace(error);
    throw error;
  });
}
