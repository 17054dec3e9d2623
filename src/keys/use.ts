import { sql } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { statement } from '../db/statement.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import type { Caller } from '../http/endpoint.ts';

/** How long counts stay in the process; a killed process loses them. */
const FLUSH_AFTER_MS = 2_000;

/** The most rows that one statement adds. */
const BATCH = 1_000;

/**
 * The counts to add to one row: that of the hour in which the key was used last. `lastUsedAt` is in the milliseconds of
 * performance.now(): PostgreSQL's clock tells the hour, since the clocks of the processes may differ.
 */
type Use = { tenant: string; key: string; requests: number; errors: number; lastUsedAt: number };

const addUse = statement(
  'add use of keys',
  (p: { tenants: string[]; keys: string[]; requests: number[]; errors: number[]; ages: number[] }) => sql<{
    key_id: string;
  }>`
    insert into key_use (tenant_id, key_id, hour, requests, errors, last_used_at)
    select tenant, key, date_trunc('hour', last, 'UTC'), requests, errors, last
    from unnest(${p.tenants}::uuid[], ${p.keys}::text[], ${p.requests}::bigint[], ${p.errors}::bigint[],
        ${p.ages}::float8[]) as use (tenant, key, requests, errors, age),
      lateral (select now() - make_interval(secs => age / 1000) as last) as time
    on conflict (tenant_id, key_id, hour) do update set
      requests = key_use.requests + excluded.requests,
      errors = key_use.errors + excluded.errors,
      last_used_at = greatest(key_use.last_used_at, excluded.last_used_at)
    returning key_id`,
);

/** Deletes hours that nothing shows any more, but not the last one of a key: it says when the key was last used. */
export const deleteOldUse = statement(
  'delete old use of keys',
  (p: { batch: number }) => sql<{ key_id: string }>`
    delete from key_use where (tenant_id, key_id, hour) in (
      select tenant_id, key_id, hour from key_use as old
      where hour < now() - interval '2 days' and exists (
        select from key_use as newer
        where newer.tenant_id = old.tenant_id and newer.key_id = old.key_id and newer.hour > old.hour)
      limit ${p.batch})
    returning key_id`,
);

/** Counts the requests of each key in memory, and adds them to the database every few seconds. */
export class KeyUse {
  readonly #db: Queryable;
  readonly #onError: (error: unknown) => void;
  /** By workspace and key. */
  #due = new Map<string, Use>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  /**
   * @param onError called when counts are dropped. While the database is unavailable, counts are kept and added again.
   * If it had added them but its answer was lost, the requests of at most a few seconds are counted twice
   */
  constructor(db: Queryable, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
  }

  /** Counts one response; those to people are not counted. */
  count({ caller, status }: { caller: Caller | undefined; status: number }): void {
    if (caller?.kind !== 'key') return;
    const errors = status >= 400 ? 1 : 0;
    this.#add({
      tenant: caller.tenant.id,
      key: caller.id,
      requests: 1,
      errors,
      lastUsedAt: performance.now(),
    });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS).unref();
  }

  /** Adds what was counted to the database. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  async #write(): Promise<void> {
    // In one order, so that two processes do not wait for each other's rows.
    const sorted = [...this.#due].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, use]) => use);
    this.#due = new Map();
    for (let start = 0; start < sorted.length; start += BATCH) {
      try {
        await this.#db.rows(addUse, parametersOf(sorted.slice(start, start + BATCH)));
      } catch (error) {
        if (error instanceof DatabaseUnavailable) {
          for (const use of sorted.slice(start)) this.#add(use);
          return;
        }
        this.#onError(error);
      }
    }
  }

  #add(use: Use): void {
    const place = `${use.tenant} ${use.key}`;
    const due = this.#due.getOrInsert(place, { ...use, requests: 0, errors: 0 });
    due.requests += use.requests;
    due.errors += use.errors;
    due.lastUsedAt = Math.max(due.lastUsedAt, use.lastUsedAt);
  }
}

function parametersOf(uses: readonly Use[]) {
  const now = performance.now();
  return {
    tenants: uses.map(({ tenant }) => tenant),
    keys: uses.map(({ key }) => key),
    requests: uses.map(({ requests }) => requests),
    errors: uses.map(({ errors }) => errors),
    ages: uses.map(({ lastUsedAt }) => now - lastUsedAt),
  };
}
