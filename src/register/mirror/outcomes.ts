import { Readable } from 'node:stream';
import { readClock } from '../../db/clock.ts';
import type { Database, Queryable } from '../../db/connect.ts';
import { KNOWN_ORGNR } from '../national/client.ts';
import { RegisterUnavailable, type Register, type Unit } from '../register.ts';
import { invalidateLookUps } from './invalidations.ts';
import { clearSetAside, setAside } from './set-aside.ts';
import { eraseUnits, markDissolved, mirrorUnits, recordRemoved, rowsOf } from './units.ts';

/**
 * Functions that update the facts of units that are stored elsewhere. All but `refreshAll` run in the transaction that
 * changes the mirror.
 */
export type Followers = {
  /** Runs after an import has replaced the mirror. */
  refreshAll(db: Database): Promise<void>;
  /** The mirror's rows of these units may have changed. */
  refresh(transaction: Queryable, orgnrs: readonly string[]): Promise<void>;
  dissolve(transaction: Queryable, gone: readonly Dissolved[]): Promise<void>;
  /** These units were removed on legal grounds: nothing the register said of them may be kept. */
  forget: Forget;
};

export type Forget = (transaction: Queryable, orgnrs: readonly string[]) => Promise<void>;

/** `on`: YYYY-MM-DD */
type Dissolved = { orgnr: string; on: string };

/** What the register says of units that changed. */
type Outcomes = {
  /** When the first of them was looked up. */
  asOf: string;
  found: Unit[];
  dissolved: Dissolved[];
  removed: string[];
  /** In neither of the register's lists, without a reason: the mirror keeps what it has. */
  unknown: string[];
  /** Could not be read while the register answered other look-ups. */
  failed: { orgnr: string; error: string }[];
};

/** Concurrent look-ups of a sync; clients' requests need room beside them. */
const CONCURRENCY = 4;

/**
 * Looks up each changed unit. One that fails does not stop the others, as long as the register finds its own number.
 * @param options.maxFailed more failures than this are the register's, not those of single numbers
 * @throws {RegisterUnavailable}
 */
export async function lookUpChanged(
  db: Queryable,
  live: Register,
  changes: readonly { orgnr: string; removed: boolean }[],
  options: { maxFailed: number; signal: AbortSignal | undefined },
): Promise<Outcomes> {
  const asOf = await readClock(db);
  const outcomes: Outcomes = { asOf, found: [], dissolved: [], removed: [], unknown: [], failed: [] };

  async function lookUp(orgnr: string): Promise<void> {
    try {
      const answer = await live.find(orgnr);
      if (answer.outcome === 'found') outcomes.found.push(answer.unit);
      else if (answer.outcome === 'dissolved') outcomes.dissolved.push({ orgnr, on: answer.on });
      else outcomes[answer.outcome].push(orgnr);
    } catch (error) {
      if (!(error instanceof RegisterUnavailable)) throw error;
      // This look-up fails as well when the fault is the register's, not the number's.
      if ((await live.find(KNOWN_ORGNR)).outcome !== 'found') throw error;
      outcomes.failed.push({ orgnr, error: error.message });
      if (outcomes.failed.length > options.maxFailed) throw tooManyFailed(outcomes, changes.length);
    }
  }

  await Readable.from(changes).forEach(
    async ({ orgnr, removed }) => {
      if (removed) outcomes.removed.push(orgnr);
      else await lookUp(orgnr);
    },
    { concurrency: CONCURRENCY, signal: options.signal },
  );
  return outcomes;
}

function tooManyFailed({ failed }: Outcomes, total: number): RegisterUnavailable {
  const { orgnr, error } = failed[0]!;
  const reason = `${failed.length} of ${total} changed units cannot be read, for example ${orgnr}: ${error}`;
  return new RegisterUnavailable(reason, 60);
}

/** Writes to the mirror and its followers what the register says. Answers of earlier look-ups become invalid first. */
export async function applyOutcomes(
  transaction: Queryable,
  outcomes: Outcomes,
  followers: Followers,
): Promise<void> {
  const { asOf, found, dissolved, removed, unknown, failed } = outcomes;
  const read = [...numbersOf(found), ...numbersOf(dissolved), ...removed, ...unknown];
  await transaction.row(invalidateLookUps, { orgnrs: [...read, ...numbersOf(failed)] });
  await transaction.row(clearSetAside, { orgnrs: read });
  if (failed.length > 0) await transaction.row(setAside, { failed: JSON.stringify(failed) });
  if (found.length > 0) {
    await transaction.row(mirrorUnits, { units: rowsOf(found, asOf) });
    await followers.refresh(transaction, numbersOf(found));
  }
  if (dissolved.length > 0) {
    await transaction.row(markDissolved, { gone: JSON.stringify(dissolved), as_of: asOf });
    await followers.dissolve(transaction, dissolved);
  }
  if (removed.length > 0) await removeUnits(transaction, followers.forget, removed);
}

function numbersOf(list: readonly { orgnr: string }[]): string[] {
  return list.map(({ orgnr }) => orgnr);
}

/** Removal on legal grounds: neither mirror nor followers keep what the register said. */
export async function removeUnits(transaction: Queryable, forget: Forget, orgnrs: string[]): Promise<void> {
  await transaction.row(recordRemoved, { orgnrs });
  await transaction.row(eraseUnits, { orgnrs });
  await forget(transaction, orgnrs);
}
