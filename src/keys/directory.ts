import { timingSafeEqual } from 'node:crypto';
import { bulkhead, isBulkheadRejectedError } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../db/connect.ts';
import { listen } from '../db/listen.ts';
import { Tenant } from '../db/tenant.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import type { Caller } from '../http/endpoint.ts';
import type { Credentials } from '../http/guard.ts';
import { bearerToken, unauthorized } from '../http/unauthorized.ts';
import { digestOf, idOf } from './key.ts';
import { findLiveKeys, type StoredKey } from './store.ts';

/** A key and the caller for requests with it. `expiresAt` is in the milliseconds of performance.now(). */
type Entry = { key: StoredKey; expiresAt: number; caller: Caller };

const CACHE_TTL_MS = 30_000;
const MAX_KEYS = 10_000;

/** Look-ups of ids that this process has never seen valid: how many run at once, and how many may wait. */
const MAX_UNKNOWN = 2;
const MAX_UNKNOWN_WAITING = 200;

type KeyDirectory = Credentials & { close(): Promise<void> };

/**
 * The keys that this process has cached. Unknown ids are cached too, so that a forgotten script with a revoked
 * key costs no query. PostgreSQL notifies of every change; while it cannot, each request looks its key up. Requests
 * with unknown keys share a small queue of queries, so that no other request waits for them.
 */
export function keyDirectory(db: Queryable, databaseUrl: string): KeyDirectory {
  const entries = new LRUCache<string, readonly Entry[]>({ max: MAX_KEYS, ttl: CACHE_TTL_MS });
  // Separate, so that made-up keys cannot evict real ones.
  const unknown = new LRUCache<string, readonly Entry[]>({ max: MAX_KEYS, ttl: CACHE_TTL_MS });
  // Distinguishes a recently valid key from an unknown one while the cache cannot answer.
  const wereGood = new LRUCache<string, readonly Entry[]>({ max: MAX_KEYS });
  const underWay = new Map<string, Promise<readonly Entry[]>>();
  const unknownLookUps = bulkhead(MAX_UNKNOWN, MAX_UNKNOWN_WAITING);

  function forget(id: string): void {
    for (const cache of [entries, unknown, wereGood]) cache.delete(id);
    // The result of a look-up that began before the change must not be cached.
    underWay.delete(id);
  }

  function forgetAll(): void {
    for (const cache of [entries, unknown]) cache.clear();
    underWay.clear();
  }

  const changes = listen(databaseUrl, 'api_key_changed', { onNotice: forget, onGap: forgetAll });

  const query = async (id: string) =>
    (await db.rows(findLiveKeys, { id })).map((key) => entryOf(db, key, isLive));

  async function isLive({ key, expiresAt }: Entry): Promise<boolean> {
    const known = changes.current() ? entries.get(key.id) : undefined;
    const live = known ?? (await (underWay.get(key.id) ?? lookUp(key.id, query)));
    return !isPast(expiresAt) && live.some((entry) => entry.key.tenant_id === key.tenant_id);
  }

  function lookUp(id: string, find: (id: string) => Promise<readonly Entry[]>): Promise<readonly Entry[]> {
    const settled = find(id)
      .then((found) => {
        if (underWay.get(id) === settled && changes.current()) {
          (found.length > 0 ? entries : unknown).set(id, found);
        }
        if (found.length > 0) wereGood.set(id, found);
        else wereGood.delete(id);
        return found;
      })
      .finally(() => {
        if (underWay.get(id) === settled) underWay.delete(id);
      });
    underWay.set(id, settled);
    return settled;
  }

  const queryUnknown = (id: string) =>
    unknownLookUps
      .execute(() => query(id))
      .catch((cause: unknown) => {
        if (!isBulkheadRejectedError(cause)) throw cause;
        throw new DatabaseUnavailable('too many unknown keys are being looked up');
      });

  return {
    tokenOf: ({ headers }) => bearerToken(headers.authorization),
    unauthorized: ({ authorization }) => unauthorized(authorization),
    idOf,
    recall(token) {
      const id = idOf(token);
      if (id === undefined) return null;
      const known = changes.current() ? (entries.get(id) ?? unknown.get(id)) : undefined;
      return known && match(known, token);
    },
    isCurrent(caller) {
      const known = changes.current() ? entries.get(caller.id) : undefined;
      return known?.some((entry) => entry.caller === caller && !isPast(entry.expiresAt)) ?? false;
    },
    lookUp(token, admit) {
      const id = idOf(token)!;
      const sharing = underWay.get(id);
      if (sharing) return sharing.then((found) => match(found, token));
      const wasGood = match(wereGood.get(id) ?? [], token) !== null;
      if (!wasGood && !admit()) return 'refused';
      return lookUp(id, wasGood ? query : queryUnknown).then((found) => match(found, token));
    },
    close: () => changes.close(),
  };
}

function entryOf(db: Queryable, key: StoredKey, isLive: (entry: Entry) => Promise<boolean>): Entry {
  const { tenant_id, id, user_id, permissions, role, milliseconds_left } = key;
  const tenant = new Tenant(db, tenant_id, { actor_kind: 'key', actor_id: id, author_id: user_id });
  const entry: Entry = {
    key,
    expiresAt: milliseconds_left === null ? Infinity : performance.now() + milliseconds_left,
    caller: { kind: 'key', id, userId: user_id, permissions, role, tenant, isStillGood: () => isLive(entry) },
  };
  return entry;
}

function isPast(expiresAt: number): boolean {
  return expiresAt <= performance.now();
}

/** The caller whose key has the token's digest; an id is unique in its workspace only, so there may be several. */
function match(entries: readonly Entry[], token: string): Caller | null {
  const digest = digestOf(token);
  const entry = entries.find(({ key }) => timingSafeEqual(key.digest, digest));
  if (!entry) return null;
  return isPast(entry.expiresAt) ? null : entry.caller;
}
