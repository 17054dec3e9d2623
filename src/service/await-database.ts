import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseUnavailable, isRefusal, reasonOf } from '../db/unavailable.ts';
import { adviceOnFailure } from '../cli/database-advice.ts';
import { CommandError } from '../cli/output.ts';

const MAX_WAIT_MS = 60_000;
const RETRY_INTERVAL_MS = 500;
const LOG_INTERVAL_MS = 5_000;

/**
 * Runs `step`, and repeats it while the database is unavailable, which it logs. An error that does not go away by
 * waiting, such as a wrong password, is thrown at once.
 * @throws {CommandError} when the database stays unavailable
 */
export async function awaitDatabase<T>(
  log: Pick<Logger, 'warn'>,
  step: () => Promise<T>,
  maxWaitMs = MAX_WAIT_MS,
): Promise<T> {
  let deadline: number | undefined;
  let loggedAt = -Infinity;
  for (;;) {
    const began = performance.now();
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || isRefusal(error)) throw error;
      const now = performance.now();
      // A step that ran for so long had a database meanwhile, whose schema it brings up to date.
      const hadDatabase = now - began > maxWaitMs / 2;
      if (deadline === undefined || hadDatabase) deadline = now + maxWaitMs;
      const reason = reasonOf(error);
      if (now >= deadline) {
        const seconds = Math.round(maxWaitMs / 1_000);
        throw new CommandError(
          `The database was unavailable for ${seconds} seconds (${reason}): ${adviceOnFailure(error).advice}`,
          { cause: error },
        );
      }
      if (now - loggedAt >= LOG_INTERVAL_MS) {
        loggedAt = now;
        const seconds = Math.round((deadline - now) / 1_000);
        log.warn({ reason, seconds_left: seconds }, 'the database is unavailable; the start waits for it');
      }
      await wait(RETRY_INTERVAL_MS);
    }
  }
}
