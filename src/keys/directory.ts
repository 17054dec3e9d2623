import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../db/connect.ts';
import { listen } from '../db/listen.ts';
import { Tenant } from '../db/tenant.ts';
import type { Caller } from '../http/endpoint.ts';
import type { FindCaller } from '../http/guard.ts';
import { digestOf, idOf } from './key.ts';
import { findLiveKeys, type StoredKey } from './store.ts';

/** A key and the caller it makes, ready to be handed to a request. */
type Entry = { key: StoredKey; caller: Caller };

/** Milliseconds a look-up is believed without asking again. */
const BELIEVED_FOR = 30_000;
const MOST_KEYS = 10_000;

export type KeyDirectory = {
  /** Who a token belongs to: at once when its key was looked up lately, undefined for no such key. */
  findCaller: FindCaller;
  close(): Promise<void>;
};

/**
 * Keys as this process knows them. Unknown ids are remembered too, so that a forgotten script with a revoked
 * key costs no query. PostgreSQL tells of every change; while it cannot, each request looks its key up.
 */
export function keyDirectory(db: Queryable, databaseUrl: string): KeyDirectory {
  const entries = new LRUCache<string, readonly Entry[]>({ max: MOST_KEYS, ttl: BELIEVED_FOR });
  // Apart, so that whoever tries made-up keys cannot push out real ones.
  const unknown = new LRUCache<string, readonly Entry[]>({ max: MOST_KEYS, ttl: BELIEVED_FOR });
  const underWay = new Map<string, Promise<readonly Entry[]>>();

  function forget(id: string): void {
    entries.delete(id);
    unknown.delete(id);
    // A look-up that began before the change must not be kept after it.
    underWay.delete(id);
  }

  function forgetAll(): void {
    entries.clear();
    unknown.clear();
    underWay.clear();
  }

  const changes = listen(databaseUrl, 'api_key_changed', { onNotice: forget, onGap: forgetAll });

  function lookUp(id: string): Promise<readonly Entry[]> {
    const sharing = underWay.get(id);
    if (sharing) return sharing;
    const lookup = db.many(findLiveKeys, { id }).then((keys) => keys.map((key) => entryOf(db, key)));
    const settled = lookup
      .then((found) => {
        if (underWay.get(id) === settled && changes.current())
          (found.length > 0 ? entries : unknown).set(id, found);
        return found;
      })
      .finally(() => {
        if (underWay.get(id) === settled) underWay.delete(id);
      });
    underWay.set(id, settled);
    return settled;
  }

  return {
    findCaller(token) {
      const id = idOf(token);
      if (id === undefined) return undefined;
      const known = changes.current() ? (entries.get(id) ?? unknown.get(id)) : undefined;
      return known ? match(known, token) : lookUp(id).then((found) => match(found, token));
    },
    close: () => changes.close(),
  };
}

function entryOf(db: Queryable, key: StoredKey): Entry {
  const tenant = new Tenant(db, key.tenant_id);
  return { key, caller: { keyId: key.id, userId: key.user_id, permissions: key.permissions, tenant } };
}

/** The caller whose key has the token's digest; an id is unique in its workspace only, so there may be several. */
function match(entries: readonly Entry[], token: string): Caller | undefined {
  const digest = digestOf(token);
  const entry = entries.find(({ key }) => timingSafeEqual(key.digest, digest));
  if (!entry) return undefined;
  const expiry = entry.key.expires_at;
  return expiry !== null && Date.parse(expiry) <= Date.now() ? undefined : entry.caller;
}
