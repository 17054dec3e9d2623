import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { InterruptedMigration } from '../db/migrate.ts';
import { DatabaseUnavailable, isRefusal, reasonOf } from '../db/unavailable.ts';
import { adviceOnFailure } from '../cli/database-advice.ts';
import { CommandError } from '../cli/output.ts';

const MAX_WAIT_MS = 60_000;
const RETRY_INTERVAL_MS = 500;
const LOG_INTERVAL_MS = 5_000;

/**
 * Runs `step`. While the database is unavailable, logs a warning every few seconds and runs `step` again. An error that
 * waiting does not fix, such as a wrong password, is thrown at once.
 * @throws {CommandError} when the database stays unavailable, or when a second long attempt is interrupted
 */
export async function awaitDatabase<T>(
  log: Pick<Logger, 'warn'>,
  step: () => Promise<T>,
  maxWaitMs = MAX_WAIT_MS,
  readClock = () => performance.now(),
): Promise<T> {
  let deadline: number | undefined;
  let wasExtended = false;
  let loggedAt = -Infinity;
  for (;;) {
    const began = readClock();
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || isRefusal(error)) throw error;
      const now = readClock();
      // A step that ran this long reached the database and was interrupted during a migration. It gets one more full
      // wait, but only one: a cause such as a full disk would interrupt every attempt.
      const hadDatabase = now - began > maxWaitMs / 2;
      const isSecondInterruption = hadDatabase && wasExtended;
      if (deadline === undefined || (hadDatabase && !isSecondInterruption)) {
        deadline = now + maxWaitMs;
        wasExtended = hadDatabase;
      }
      const isInterrupted = error instanceof InterruptedMigration;
      const reason = isInterrupted ? error.message : reasonOf(error);
      if (now >= deadline || isSecondInterruption) {
        if (isInterrupted) throw new CommandError(reason, { cause: error });
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
