import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { connect, type Database } from '../db/connect.ts';
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

/** A sync finds out by itself whether the register works, and one number must not stop the others. */
const SYNC_LIMITS = { failuresToOpen: Number.MAX_SAFE_INTEGER, maxPauseMs: 0 };

type RegisterConfig = Pick<Config, 'register' | 'registerUrl' | 'registerContact'>;

/** The pool of the register; its sync has one more connection. */
export const REGISTER_CONNECTIONS = 4;

/**
 * Opens the register that the settings name, the national one with its mirror; it is closed when `stops` is disposed.
 * Look-ups and syncs have connections of their own, so that they and requests do not wait for each other.
 * @param options.background gets the sync of the mirror, to be stopped before `stops` is disposed; absent where this
 * process does not keep the mirror current
 */
export function openRegister(
  options: {
    config: RegisterConfig;
    databaseUrl: string;
    log: Logger;
    followers: Followers;
    background?: { stop(): Promise<void> }[];
  },
  stops: AsyncDisposableStack,
): Register {
  const { config, databaseUrl, log, followers, background } = options;
  if (config.register === 'sandbox') return sandboxRegister();
  const db = connect({
    url: databaseUrl,
    connections: REGISTER_CONNECTIONS,
    onIdleError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
  });
  stops.defer(() => db.close());
  if (background) {
    const onError = (error: unknown) =>
      log.warn({ err: error }, 'the sync of the mirror of the register failed');
    background.push(followFeeds(databaseUrl, { ...syncOptions(config, db, followers), onError }));
  }
  return mirroredRegister(db, openNational(config), followers.forget);
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
