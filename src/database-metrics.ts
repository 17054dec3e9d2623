import { setTimeout as wait } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from 'pg';
import { sql } from 'kysely';
import type { Database } from './db/connect.ts';
import type { DatabaseObserver } from './db/observe.ts';
import { statement, type Statement } from './db/statement.ts';

const BUCKETS_SECONDS = [0.001, 0.0025, 0.01, 0.05, 0.25, 1, 5];

/** How long a scrape waits for the database. */
const MAX_WAIT_MS = 500;

/** Both are read from indexes or a sequence, whatever the size of the database. */
const countUse = statement(
  'count use',
  () => sql<{ sessions: number; changes: number }>`select
    (select count(*) from sessions where expires_at > now())::int as sessions,
    coalesce(pg_sequence_last_value(pg_get_serial_sequence('changes', 'draw')::regclass), 0)::float8 as changes`,
);

/** The metrics of statements and connections, in a registry that others are added to. */
export type DatabaseMetrics = {
  registry: Registry;
  observer: DatabaseObserver;
  /** Whether a statement has succeeded since the last call. */
  hasAnswered: () => boolean;
};

export function createDatabaseMetrics(): DatabaseMetrics {
  const registry = new Registry();
  const statements = new Histogram({
    name: 'database_statement_duration_seconds',
    help: 'Duration of statements by title, including the wait for a connection',
    labelNames: ['statement'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  const waits = new Histogram({
    name: 'database_connection_wait_seconds',
    help: 'Time spent waiting for a connection to PostgreSQL',
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  let answered = false;
  return {
    registry,
    hasAnswered() {
      const before = answered;
      answered = false;
      return before;
    },
    observer: {
      onStatement(statement, milliseconds, isAnswered) {
        statements.observe({ statement }, milliseconds / 1_000);
        answered ||= isAnswered;
      },
      onWait: (milliseconds) => waits.observe(milliseconds / 1_000),
    },
  };
}

export function addPoolGauge(registry: Registry, pool: Pool): void {
  const gauge = new Gauge({
    name: 'database_connections',
    help: 'Connections to PostgreSQL, and requests waiting for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      gauge.set({ state: 'idle' }, pool.idleCount);
      gauge.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

/** @returns updates the gauges; while the database is unavailable they keep their last values */
export function addUseGauges(
  registry: Registry,
  db: Database,
  hasAnswered: () => boolean,
): () => Promise<void> {
  const shared = { registers: [registry], aggregator: 'max' as const };
  const help = 'Active user sessions';
  const sessions = new Gauge({ name: 'kundebok_sessions', help, ...shared });
  const changes = new Counter({
    name: 'kundebok_changes_written_total',
    help: 'Entries written to the change log of this database, including those of writes that were rolled back',
    ...shared,
  });
  const answers = new Gauge({
    name: 'kundebok_database_answers',
    help: '1 if the database answered this scrape or, while requests use all connections, a request since the last scrape',
    ...shared,
  });
  sessions.remove();
  changes.remove();
  return async () => {
    const answersOthers = hasAnswered() && hasNoneFree(db.pool);
    const use = await readForScrape(db, countUse);
    answers.set(use || answersOthers ? 1 : 0);
    if (!use) return;
    sessions.set(use.sessions);
    changes.reset();
    changes.inc(use.changes);
  };
}

/**
 * A row for gauges. A scrape must not wait for requests, nor they for it.
 * @returns undefined without an answer: the gauges stay as they were, and /readyz and the log say that the database is
 *   unavailable
 */
export async function readForScrape<Row>(
  db: Database,
  statement: Statement<object, Row>,
): Promise<Row | undefined> {
  if (hasNoneFree(db.pool)) return undefined;
  return withinScrape(db.row(statement, {}));
}

/** Whether requests have all connections. */
function hasNoneFree({ idleCount, totalCount, options }: Pool): boolean {
  return idleCount === 0 && totalCount >= options.max;
}

/** @returns undefined where the answer fails, or takes longer than a scrape may wait */
export function withinScrape<T>(answer: Promise<T>): Promise<T | undefined> {
  const late = wait(MAX_WAIT_MS, undefined, { ref: false });
  return Promise.race([answer.catch(() => undefined), late]);
}
