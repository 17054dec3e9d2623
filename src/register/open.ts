import type { Config } from '../config.ts';
import type { Database } from '../db/connect.ts';
import { followFeeds } from './mirror/follow.ts';
import { mirroredRegister } from './mirror/look-up.ts';
import type { Followers } from './mirror/outcomes.ts';
import type { SyncOptions } from './mirror/sync.ts';
import { nationalRegister } from './national/client.ts';
import type { Source } from './national/source.ts';
import type { Register } from './register.ts';
import { sandboxRegister } from './sandbox/sandbox.ts';

/** For one look-up, with the retry. */
const TIMEOUT_MS = 5_000;

/** A sync decides by itself whether the register is well, and one number must not stop the others. */
const SYNC_LIMITS = { failuresToOpen: Number.MAX_SAFE_INTEGER, maxPauseMs: 0 };

type RegisterConfig = Pick<Config, 'register' | 'registerUrl' | 'registerContact'>;

/**
 * Opens the register that the settings name; the national one with its mirror, which is kept current.
 * @param options.syncs false where another process keeps the mirror current
 * @param options.db a pool of the register's own, so that no look-up waits for a request's connection
 * @param options.onSyncError called for every sync that fails
 */
export function openRegister(options: {
  config: RegisterConfig;
  db: Database;
  databaseUrl: string;
  followers: Followers;
  syncs: boolean;
  onSyncError: (error: unknown) => void;
}): { register: Register; stop: () => Promise<void> } {
  const { config, db, databaseUrl, followers, syncs, onSyncError: onError } = options;
  if (config.register === 'sandbox') return { register: sandboxRegister(), stop: async () => {} };
  const register = mirroredRegister(db, openNational(config), followers.forget);
  if (!syncs) return { register, stop: async () => {} };
  const sync = followFeeds(databaseUrl, { ...syncOptions(config, db, followers), onError });
  return { register, stop: () => sync.stop() };
}

/** The national register without its mirror. */
export function openNational(config: RegisterConfig): Register {
  return nationalRegister({ ...sourceOf(config), timeoutMs: TIMEOUT_MS });
}

/** A sync has a client of its own, beside the look-ups of requests. */
export function syncOptions(config: RegisterConfig, db: Database, followers: Followers): SyncOptions {
  const source = sourceOf(config);
  const live = nationalRegister({ ...source, timeoutMs: TIMEOUT_MS, limits: SYNC_LIMITS });
  return { db, live, source, followers };
}

export function sourceOf(config: RegisterConfig): Source {
  const contact = config.registerContact ? ` (${config.registerContact})` : '';
  return { baseUrl: config.registerUrl, userAgent: `Kundebok${contact}` };
}
