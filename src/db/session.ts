import { addAbortListener } from 'node:events';
import { Client, type ClientConfig, type QueryConfig } from 'pg';
import { findUnreadable, parseAddress, type Host, type Unreadable } from './address.ts';
import { findReadOnlyReason } from './read-only.ts';
import { types } from './types.ts';
import { DatabaseUnavailable, reasonOf } from './unavailable.ts';

/** The server cancels a statement first; the client's timeout is for a dead connection. */
const STATEMENT_TIMEOUT_MS = 8_000;
const QUERY_TIMEOUT_MS = 9_000;
const LOCK_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const END_TIMEOUT_MS = 1_000;

/** How long one of several hosts may take to report whether it accepts writes. */
const PROBE_TIMEOUT_MS = 2_000;

export type SessionSettings = ClientConfig & {
  /** The hosts of an address with several; one of them is chosen for each new connection. */
  hosts?: readonly Host[];
  mustTakeWrites?: boolean;
};

/** The settings of every connection of this service, pooled or not. */
export function connectionSettings(url: string): SessionSettings {
  const address = parseAddress(url);
  return {
    connectionString: address.url,
    ...(address.hosts.length > 1 && { hosts: address.hosts, mustTakeWrites: address.mustTakeWrites }),
    application_name: 'kundebok',
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
  };
}

/**
 * Begins a transaction in which each statement sees what was committed before it, also during its wait for a lock, even
 * where that is not the default and a pooler has lost the session's isolation level.
 */
export const BEGIN = 'begin isolation level read committed';

const BEGIN_UNLIMITED = `${BEGIN};
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/** Null before PostgreSQL 17, which added this limit. A limit set by a role or a provider would end long commands. */
const LIFT_TRANSACTION_TIMEOUT = `
  case when current_setting('transaction_timeout', true) is not null
    then set_config('transaction_timeout', '0', false) end`;

/**
 * Runs `work` on a connection of its own.
 * @param queryTimeoutMs 0 for no limit
 * @throws {DatabaseUnavailable} when there is no connection
 */
export async function withSession<T>(
  url: string,
  work: (session: Session) => Promise<T>,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
): Promise<T> {
  const session = new Session({ ...connectionSettings(url), query_timeout: queryTimeoutMs });
  await session.connect();
  try {
    return await work(session);
  } finally {
    // Fails only for a connection that is broken already, which made the work fail, too.
    await session.end().catch(ignore);
  }
}

/**
 * Runs `work` in one transaction without time limits, on a connection of its own. PostgreSQL rolls back whatever is
 * not committed when the connection ends.
 * @param signal ends the connection when it is aborted; has no effect once the commit is sent
 */
export function inLongTransaction<T>(
  url: string,
  signal: AbortSignal | undefined,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return withSession(
    url,
    async (session) => {
      signal?.throwIfAborted();
      using cut = signal && addAbortListener(signal, () => void session.end().catch(ignore));
      await session.beginUnlimited();
      const result = await work(session);
      signal?.throwIfAborted();
      cut?.[Symbol.dispose]();
      await session.query('commit');
      return result;
    },
    0,
  );
}

/**
 * A connection of this service. It chooses one of several hosts, and sets time zone, isolation level and time limits
 * by statements, since poolers refuse them in the startup packet.
 */
export class Session extends Client {
  /** Whether there is a pooler: the server process is not the one announced at login. */
  pooled = false;
  readonly #settings: SessionSettings;
  readonly #unreadable: Unreadable | undefined;
  #isOpen = false;
  #hasTransactionTimeout = false;

  constructor(settings: SessionSettings) {
    const unreadable = findUnreadable(settings.connectionString!);
    super(unreadable ? {} : startupSettings(settings));
    ignorePgOptions(this, settings);
    this.#unreadable = unreadable;
    this.#settings = settings;
    // A connection that breaks fails its statements. Without a listener the event would end the process.
    this.on('error', ignore);
  }

  /** @throws {DatabaseUnavailable} for any reason */
  override connect(): Promise<Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: Client) => void)): void;
  override connect(callback?: (error: never, client: Client) => void): Promise<Client> | undefined {
    const opened = this.#open();
    if (!callback) return opened;
    opened.then(
      () => callback(null as never, this),
      (error: unknown) => callback(error as never, this),
    );
    return undefined;
  }

  /** Begins a transaction without time limits, also behind a pooler that lost the session's settings. */
  async beginUnlimited(): Promise<void> {
    // None of these is a query, which would take the transaction's snapshot.
    const more = this.#hasTransactionTimeout ? '; set local transaction_timeout = 0' : '';
    await this.query(BEGIN_UNLIMITED + more);
  }

  /**
   * A dead connection never answers Terminate, and a server reads one before the startup packet as a malformed
   * packet: in both cases the socket is destroyed.
   */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    if (this.#isOpen) setTimeout(() => this.connection.stream.destroy(), END_TIMEOUT_MS).unref();
    else this.connection.stream.destroy();
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  async #open(): Promise<Client> {
    try {
      if (this.#unreadable) throw this.#unreadable.error;
      if (this.#settings.hosts) Object.assign(this, await findHost(this.#settings, this.#settings.hosts));
      await super.connect();
      this.#isOpen = true;
      await this.#prepare();
      return this;
    } catch (cause) {
      void this.end().catch(ignore);
      throw cause instanceof DatabaseUnavailable
        ? cause
        : new DatabaseUnavailable('no connection to the database', { cause });
    }
  }

  async #prepare(): Promise<void> {
    const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout } = this.#settings;
    const limits = { statement_timeout, lock_timeout, idle_in_transaction_session_timeout };
    const level = { default_transaction_isolation: "'read committed'" };
    const set = Object.entries({ timezone: "'UTC'", datestyle: "'ISO'", ...level, ...limits }).map(
      ([name, value]) => `set ${name} = ${value || 0};`,
    );
    const text = `${set.join(' ')} select pg_backend_pid() as pid, ${LIFT_TRANSACTION_TIMEOUT} as lifted`;
    const results = await this.query({ text, query_timeout: CONNECT_TIMEOUT_MS } as QueryConfig);
    const { pid, lifted } = [results].flat().at(-1)!.rows[0] as { pid: number; lifted: string | null };
    this.#hasTransactionTimeout = lifted !== null;
    this.pooled = pid !== (this as unknown as { processID: number | null }).processID;
  }
}

/** The settings without those that a pooler rejects in the startup packet. */
function startupSettings(settings: SessionSettings): ClientConfig {
  return {
    ...settings,
    statement_timeout: undefined,
    lock_timeout: undefined,
    idle_in_transaction_session_timeout: undefined,
  };
}

/** PGOPTIONS is meant for other programs: a search_path in it would hide the tables, and poolers refuse options. */
function ignorePgOptions(client: Client, { connectionString }: SessionSettings): void {
  if (new URL(connectionString!).searchParams.get('options')) return;
  (client as unknown as { connectionParameters: { options?: string } }).connectionParameters.options = '';
}

/** Asks all hosts at once, so that a silent one costs no time, and takes the first suitable one. */
async function findHost(settings: SessionSettings, hosts: readonly Host[]): Promise<Host> {
  try {
    return await Promise.any(hosts.map((host) => probe(settings, host)));
  } catch (error) {
    const { errors } = error as AggregateError;
    const reasons = hosts.map(({ host, port }, index) => `${host}:${port}: ${reasonOf(errors[index])}`);
    throw new DatabaseUnavailable('no host of the database is suitable', {
      cause: new AggregateError(errors, reasons.join('; ')),
    });
  }
}

/** @throws the reason why this host is not suitable */
async function probe(settings: SessionSettings, host: Host): Promise<Host> {
  const timeouts = { connectionTimeoutMillis: PROBE_TIMEOUT_MS, query_timeout: PROBE_TIMEOUT_MS };
  const client = new Client({ ...startupSettings(settings), ...timeouts });
  ignorePgOptions(client, settings);
  client.on('error', ignore);
  try {
    await Object.assign(client, host).connect();
    const reason = settings.mustTakeWrites ? await findReadOnlyReason(client) : undefined;
    if (reason !== undefined) throw new DatabaseUnavailable(reason);
    return host;
  } finally {
    void client.end().catch(ignore);
  }
}

export function ignore(): void {}
