import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseUnavailable, isRefusal, reasonOf } from '../db/unavailable.ts';
import { CommandError } from '../cli/output.ts';

/** Milliseconds a start waits for its database, pauses between tries, and keeps silent between lines. */
const PATIENCE = 60_000;
const PAUSE = 500;
const SILENCE = 5_000;

/**
 * Carries out `step`, again and again while the database is away, and says so. What waiting does not put right,
 * such as a wrong password, fails at once.
 * @throws {CommandError} when the database stays away
 */
export async function awaitDatabase<T>(
  log: Pick<Logger, 'warn'>,
  step: () => Promise<T>,
  patienceMs = PATIENCE,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  let spokeAt = -Infinity;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || isRefusal(error)) throw error;
      const now = performance.now();
      const reason = reasonOf(error);
      if (now >= deadline) {
        const seconds = Math.round(patienceMs / 1_000);
        throw new CommandError(
          `The database was unavailable for ${seconds} seconds (${reason}): start it and check DATABASE_URL`,
          { cause: error },
        );
      }
      if (now - spokeAt >= SILENCE) {
        spokeAt = now;
        const seconds = Math.ceil((deadline - now) / 1_000);
        log.warn({ reason, seconds_left: seconds }, 'the database is unavailable; the start waits for it');
      }
      await wait(PAUSE);
    }
  }
}
