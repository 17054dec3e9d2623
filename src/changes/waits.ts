import { setTimeout as wait } from 'node:timers/promises';
import type { Queryable } from '../db/connect.ts';
import { findSharding } from '../db/sharding/find.ts';
import type { Tenant } from '../db/tenant.ts';
import type { Caller } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { findNews, findNewsOnShards, readNews, type News } from './store.ts';

/** Milliseconds between two looks at the workspaces that somebody waits for. */
const LOOK_INTERVAL_MS = 60;

/** Requests of one key that may wait at once in one process. */
const MAX_WAITS = 10;

/** The look that comes next: the workspaces waited for, each from the earliest id that somebody has seen. */
type Look = {
  from: Map<string, { tenant: Tenant; id: number }>;
  found: Promise<ReadonlyMap<string, News>>;
};

/**
 * Requests that wait for changes. However many wait, for however many workspaces, this process asks the database
 * one question in each interval, and where there is something new, numbers it once for each workspace. It works
 * through any pooler, and costs writers nothing.
 */
export class Waits {
  readonly #db: Queryable | undefined;
  readonly #waiting = new Map<string, number>();
  readonly #closing = new AbortController();
  #look: Look | undefined;
  /** Asked once: the service is stopped while tables are distributed. */
  #isSharded: boolean | undefined;

  /** @param db may be left out where nothing waits: to describe the interface */
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

  /** Counts a key's wait while it lasts. @throws {Problem} rate_limited for one too many */
  async asOne<T>({ tenant, id }: Caller, waiting: () => Promise<T>): Promise<T> {
    const name = `${tenant.id} ${id}`;
    const count = this.#waiting.get(name) ?? 0;
    if (count >= MAX_WAITS) {
      throw new Problem(
        'rate_limited',
        `This key waits ${MAX_WAITS} times already; wait with fewer requests`,
        {
          headers: { 'retry-after': '1' },
        },
      );
    }
    this.#waiting.set(name, count + 1);
    try {
      return await waiting();
    } finally {
      const left = this.#waiting.get(name)! - 1;
      if (left > 0) this.#waiting.set(name, left);
      else this.#waiting.delete(name);
    }
  }

  /** Waits one interval. @returns what there is after `last` by then, perhaps after an earlier id */
  async next(tenant: Tenant, last: number): Promise<News | undefined> {
    const { from, found } = (this.#look ??= this.#plan());
    from.set(tenant.id, { tenant, id: Math.min(last, from.get(tenant.id)?.id ?? last) });
    return (await found).get(tenant.id);
  }

  #plan(): Look {
    const from: Look['from'] = new Map();
    return { from, found: this.#find(from) };
  }

  async #find(from: Look['from']): Promise<ReadonlyMap<string, News>> {
    await this.#pause();
    this.#look = undefined;
    const news = new Map<string, News>();
    if (this.isClosing) return news;
    const seen = { workspaces: [...from.keys()], ids: [...from.values()].map(({ id }) => id) };
    for (const { workspace } of await this.#ask(seen)) {
      const { tenant, id } = from.get(workspace)!;
      news.set(workspace, await readNews(tenant, id));
    }
    return news;
  }

  async #ask(seen: { workspaces: string[]; ids: number[] }): Promise<{ workspace: string }[]> {
    this.#isSharded ??= (await this.#db!.row(findSharding, {}))!.is_sharded;
    return this.#db!.rows(this.#isSharded ? findNewsOnShards : findNews, seen);
  }

  async #pause(): Promise<void> {
    const { signal } = this.#closing;
    await wait(LOOK_INTERVAL_MS, undefined, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
