import { setTimeout as wait } from 'node:timers/promises';
import type { Tenant } from '../db/tenant.ts';
import { Problem } from '../http/problem.ts';
import { peekState } from './store.ts';

/** Milliseconds between two looks at a workspace that somebody waits for. */
const LOOK_INTERVAL_MS = 200;

/** Requests of one key that may wait at once in one process. */
const MAX_WAITS = 10;

/**
 * Requests that wait for changes. However many wait for one workspace, this process asks the database for it
 * once in each interval. It works through any pooler, and costs writers nothing.
 */
export class Waits {
  readonly #waiting = new Map<string, number>();
  readonly #looks = new Map<string, Promise<number | 'pending'>>();
  readonly #closing = new AbortController();

  /** Ends all waits at once. */
  close(): void {
    this.#closing.abort();
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Counts a key's wait while it lasts. @throws {Problem} rate_limited for one too many */
  async asOne<T>(keyId: string, waiting: () => Promise<T>): Promise<T> {
    const count = this.#waiting.get(keyId) ?? 0;
    if (count >= MAX_WAITS) {
      throw new Problem(
        'rate_limited',
        `This key waits ${MAX_WAITS} times already; wait with fewer requests`,
        {
          headers: { 'retry-after': '1' },
        },
      );
    }
    this.#waiting.set(keyId, count + 1);
    try {
      return await waiting();
    } finally {
      const left = this.#waiting.get(keyId)! - 1;
      if (left > 0) this.#waiting.set(keyId, left);
      else this.#waiting.delete(keyId);
    }
  }

  /** Waits one interval. @returns whether there is more than `last` by then */
  async hasMore(tenant: Tenant, last: number): Promise<boolean> {
    const look = this.#looks.get(tenant.id) ?? this.#look(tenant);
    const seen = await look;
    return seen === 'pending' || seen > last;
  }

  #look(tenant: Tenant): Promise<number | 'pending'> {
    const look = this.#pause()
      .then(() => peekState(tenant))
      .then((state) => (state.is_pending ? ('pending' as const) : state.last_id))
      .finally(() => this.#looks.delete(tenant.id));
    this.#looks.set(tenant.id, look);
    return look;
  }

  async #pause(): Promise<void> {
    const { signal } = this.#closing;
    await wait(LOOK_INTERVAL_MS, undefined, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
