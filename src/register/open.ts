import type { Database } from '../db/connect.ts';
import type { Followers } from './mirror/apply-news.ts';
import { followFeeds } from './mirror/follow.ts';
import { mirroredRegister } from './mirror/look-up.ts';
import type { SyncOptions } from './mirror/sync.ts';
import { nationalRegister, type NationalRegister } from './national/client.ts';
import type { Source } from './national/feed.ts';
import type { Register } from './register.ts';
import { sandboxRegister } from './sandbox/sandbox.ts';

/** Milliseconds one look-up may take, retry included. */
const LOOK_UP_TIMEOUT = 5_000;

/** A sync judges by itself whether the register is well, and no single number may keep it from the others. */
const SYNC_GUARD = { concurrentCalls: 8, failuresToOpen: Number.MAX_SAFE_INTEGER, longestHoldOffMs: 0 };

/** The settings that say which register is asked, and how. */
export type RegisterConfig = {
  register: 'sandbox' | 'national';
  registerUrl: string;
  registerContact: string;
};

export type OpenRegister = {
  register: Register;
  stop: () => Promise<void>;
};

/**
 * The register that the settings name; the national one with its mirror kept current.
 * @param options.db a pool of the register's own, so that no look-up waits for a request's connection
 * @param options.followers hear of what the feeds tell
 * @param options.onSyncError called for every sync that fails
 */
export function openRegister(options: {
  config: RegisterConfig;
  db: Database;
  databaseUrl: string;
  followers: Followers;
  onSyncError: (error: unknown) => void;
}): OpenRegister {
  const { config, db, databaseUrl, followers, onSyncError: onError } = options;
  if (config.register === 'sandbox') return { register: sandboxRegister(), stop: async () => {} };
  const sync = followFeeds(databaseUrl, { ...syncOptions(config, db, followers), onError });
  return {
    register: mirroredRegister(db, openNational(config), followers.forget),
    stop: () => sync.stop(),
  };
}

/** The national register itself, without the mirror. */
export function openNational(config: RegisterConfig): NationalRegister {
  return nationalRegister({ ...sourceOf(config), timeoutMs: LOOK_UP_TIMEOUT });
}

/** What a sync of the mirror needs; it asks the register by itself, beside the look-ups of clients. */
export function syncOptions(config: RegisterConfig, db: Database, followers: Followers): SyncOptions {
  const source = sourceOf(config);
  const live = nationalRegister({ ...source, timeoutMs: LOOK_UP_TIMEOUT, guard: SYNC_GUARD });
  return { db, live, source, followers };
}

/** Where the national register is, and who asks: it wants to know how to reach them. */
export function sourceOf(config: RegisterConfig): Source {
  const contact = config.registerContact ? ` (${config.registerContact})` : '';
  return { baseUrl: config.registerUrl, userAgent: `Kundebok${contact}` };
}
