import { setTimeout as wait } from 'node:timers/promises';
import type { Queryable } from '../db/connect.ts';
import { findSharding } from '../db/sharding/tables.ts';
import type { Tenant } from '../db/tenant.ts';
import type { Caller } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { findChangedWorkspaces, findChangedOnShards, findNewEntries, type NewEntries } from './store.ts';

/** Milliseconds between two queries for the workspaces that requests wait for. */
const LOOK_INTERVAL_MS = 60;

/** The most requests of one key that may wait at once in one process. */
const MAX_WAITS = 10;

/** The next query: the workspaces that requests wait for, each from the earliest id that one of them has seen. */
type Look = {
  from: Map<string, { tenant: Tenant; id: number }>;
  /** A promise for each workspace with new entries: one whose entries cannot be numbered does not delay the others. */
  found: Promise<ReadonlyMap<string, Promise<NewEntries>>>;
};

/**
 * Requests that wait for changes. For any number of requests and workspaces, this process sends the database
 * one query in each interval, and numbers new entries once for each workspace. It works
 * through any pooler, and costs writers nothing.
 */
export class Waits {
  readonly #db: Queryable | undefined;
  /** When the waits of each key end at the latest, by performance.now(). */
  readonly #deadlines = new Map<string, number[]>();
  readonly #closing = new AbortController();
  #look: Look | undefined;
  /** Queried once: the service is stopped while tables are distributed. */
  #isSharded: boolean | undefined;

  /** @param db can be omitted when nothing waits: to generate the API description */
  constructor(db?: Queryable) {
    this.#db = db;
  }

  /** Ends all waits at once. */
  close(): void {
    this.#closing.abort();
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /**
   * Counts the waits of a key.
   * @param deadline when `waiting` ends at the latest, by performance.now()
   * @throws {Problem} rate_limited above the limit, until the first of them has ended
   */
  async asOne<T>({ tenant, id }: Caller, deadline: number, waiting: () => Promise<T>): Promise<T> {
    const name = `${tenant.id} ${id}`;
    const deadlines = this.#deadlines.getOrInsertComputed(name, () => []);
    const now = performance.now();
    // Waits past their deadline are about to be answered, and are not counted: else Retry-After would be too short.
    const left = deadlines.filter((each) => each > now);
    if (left.length >= MAX_WAITS) {
      const message = `This key already has ${MAX_WAITS} waiting requests; keep fewer requests waiting at once`;
      const seconds = Math.ceil((Math.min(...left) - now) / 1_000);
      throw new Problem('rate_limited', message, { headers: { 'retry-after': String(seconds) } });
    }
    deadlines.push(deadline);
    try {
      return await waiting();
    } finally {
      deadlines.splice(deadlines.indexOf(deadline), 1);
      if (deadlines.length === 0) this.#deadlines.delete(name);
    }
  }

  /** Waits one interval. @returns what is new since `last`, or since an earlier id */
  async next(tenant: Tenant, last: number): Promise<NewEntries | undefined> {
    const { from, found } = (this.#look ??= this.#plan());
    from.set(tenant.id, { tenant, id: Math.min(last, from.get(tenant.id)?.id ?? last) });
    return (await found).get(tenant.id);
  }

  #plan(): Look {
    const from: Look['from'] = new Map();
    return { from, found: this.#find(from) };
  }

  async #find(from: Look['from']): Look['found'] {
    await this.#pause();
    this.#look = undefined;
    const found = new Map<string, Promise<NewEntries>>();
    if (this.isClosing) return found;
    const seen = { workspaces: [...from.keys()], ids: [...from.values()].map(({ id }) => id) };
    for (const { workspace } of await this.#ask(seen)) {
      const { tenant, id } = from.get(workspace)!;
      found.set(workspace, findNewEntries(tenant, id));
    }
    return found;
  }

  async #ask(seen: { workspaces: string[]; ids: number[] }): Promise<{ workspace: string }[]> {
    this.#isSharded ??= (await this.#db!.row(findSharding, {}))!.is_sharded;
    return this.#db!.rows(this.#isSharded ? findChangedOnShards : findChangedWorkspaces, seen);
  }

  async #pause(): Promise<void> {
    const { signal } = this.#closing;
    await wait(LOOK_INTERVAL_MS, undefined, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
