import type { Database } from '../db/connect.ts';
import { keepCurrent } from './mirror/follow.ts';
import { keptRegister } from './mirror/look-up.ts';
import { nationalRegister, type NationalRegister } from './national/client.ts';
import type { Register } from './register.ts';
import { sandboxRegister } from './sandbox/sandbox.ts';
import type { Followers, SyncOptions } from './mirror/sync.ts';

/** Milliseconds one look-up may take, retry included. */
const LOOK_UP_TIMEOUT = 5_000;

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
 * The register that the settings name; the national one with its copy kept current.
 * @param options.db a pool of the register's own, so that no look-up waits for a request's connection
 * @param options.followers hear of what the feeds tell
 * @param options.onSyncError told of every sync that failed
 */
export function openRegister(options: {
  config: RegisterConfig;
  db: Database;
  databaseUrl: string;
  followers: Followers;
  onSyncError: (error: unknown) => void;
}): OpenRegister {
  const { config, db, databaseUrl, onSyncError: onError } = options;
  if (config.register === 'sandbox') return { register: sandboxRegister(), stop: async () => {} };
  const live = openNational(config);
  const sync = keepCurrent(databaseUrl, { ...syncOptions(config, live, db, options.followers), onError });
  return { register: keptRegister(db, live), stop: () => sync.stop() };
}

/** The national register itself, without any copy. */
export function openNational(config: RegisterConfig): NationalRegister {
  return nationalRegister({ ...sourceOf(config), timeoutMs: LOOK_UP_TIMEOUT });
}

/** What a sync of the copy needs. */
export function syncOptions(
  config: RegisterConfig,
  live: Register,
  db: Database,
  followers: Followers,
): SyncOptions {
  return { db, live, source: sourceOf(config), followers };
}

/** Where the national register is, and who asks: it wants to know how to reach them. */
export function sourceOf(config: RegisterConfig): { baseUrl: string; userAgent: string } {
  const contact = config.registerContact ? ` (${config.registerContact})` : '';
  return { baseUrl: config.registerUrl, userAgent: `Kundebok${contact}` };
}
