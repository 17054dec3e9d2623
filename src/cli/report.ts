import { CommanderError } from 'commander';
import { InvalidConfig } from '../config.ts';
import { EmbeddedPostgresError } from '../db/embedded/errors.ts';
import { FailedMigration, InterruptedMigration } from '../db/migrate.ts';
import { UnfitSchema } from '../db/schema-state.ts';
import { UnfitPooler } from '../db/pooler.ts';
import { UnfitServer } from '../db/fit-server.ts';
import { DatabaseUnavailable, reasonOf, toUnavailable } from '../db/unavailable.ts';
import { adviceOnFailure } from './database-advice.ts';
import { CommandError, UsageError } from './output.ts';

/** Failures that are not defects: reported without a stack. */
const EXPECTED = [
  UsageError,
  CommandError,
  InvalidConfig,
  EmbeddedPostgresError,
  FailedMigration,
  InterruptedMigration,
  UnfitSchema,
  UnfitServer,
  UnfitPooler,
];

/** Reports a failure of a command. @returns the exit code: 2 for a mistake in how it was called, else 1 */
export function report(error: unknown, asJson: boolean): number {
  // Called without a command, commander prints the help.
  if (error instanceof CommanderError && error.code === 'commander.help') return 2;
  const usage =
    error instanceof CommanderError || error instanceof UsageError || error instanceof InvalidConfig;
  const message =
    usage || EXPECTED.some((kind) => error instanceof kind)
      ? (error as Error).message.replace(/^error: /, '')
      : describe(error);
  console.error(asJson ? JSON.stringify({ error: message }) : message);
  return usage ? 2 : 1;
}

function describe(error: unknown): string {
  const failure = toUnavailable(error);
  if (failure instanceof DatabaseUnavailable) {
    const { what, advice } = adviceOnFailure(failure);
    return `The database ${what} (${reasonOf(failure)}): ${advice}`;
  }
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\nCause: ${reasonOf(error)}`;
}
