import type { Database, Queryable } from '../../db/connect.ts';
import {
  RegisterUnavailable,
  UNIT_FIELDS,
  type Register,
  type RegisterAnswer,
  type Unit,
} from '../register.ts';
import { invalidateOlder } from './invalidations.ts';
import { isRecent } from './state.ts';
import { mirrorStatus } from './status.ts';
import { eraseUnits, findMirrored, markDeleted, mirrorLookUp, recordRemoved, rowsOf } from './store.ts';

/** How often a look-up is asked again when the feed spoke of the unit meanwhile. */
const MAX_ATTEMPTS = 3;

/** Erases, in every workspace, what the register supplied of these units. */
export type Forget = (on: Queryable, orgnrs: readonly string[]) => Promise<void>;

/**
 * The national register with the mirror before it. A current mirror answers alone for every unit it has; a
 * number it lacks is looked up, because a new company may be hours old. Without a current mirror every number
 * is looked up, each unit found is kept, and what is kept serves while the register is unavailable.
 * @param forget called for a unit that a look-up finds removed on legal grounds
 */
export function mirroredRegister(db: Database, live: Register, forget: Forget): Register {
  const underWay = new Map<string, Promise<RegisterAnswer>>();

  /** Look-ups of one number at one time share a call, and count as asked when it began. */
  function askOnce(orgnr: string, row: Row): Promise<RegisterAnswer> {
    const shared = underWay.get(orgnr);
    if (shared) return shared;
    const call = ask(orgnr, row, MAX_ATTEMPTS).finally(() => underWay.delete(orgnr));
    underWay.set(orgnr, call);
    return call;
  }

  async function ask(orgnr: string, row: Row, attempts: number): Promise<RegisterAnswer> {
    const answer = await live.find(orgnr);
    // Nothing is kept of an unknown number: strangers' guesses leave no trace.
    if (answer.outcome === 'unknown' && row.orgnr === null) return answer;
    if (await keep(db, forget, orgnr, answer, row.asked_at)) {
      return answer.outcome === 'found' ? { ...answer, asOf: row.asked_at } : answer;
    }
    if (attempts === 1) throw new RegisterUnavailable('what the register says changes while it is asked', 1);
    return ask(orgnr, await find(orgnr), attempts - 1);
  }

  async function find(orgnr: string) {
    const row = await db.row(findMirrored, { orgnr });
    if (!row) throw new Error('the look-up of a mirrored unit always gives a row');
    return row;
  }

  return {
    title: live.title,
    async find(orgnr) {
      const row = await find(orgnr);
      const mirrored = answerOf(row);
      if (mirrored && isCurrent(row)) return mirrored;
      try {
        return await askOnce(orgnr, row);
      } catch (error) {
        if (mirrored && error instanceof RegisterUnavailable) return mirrored;
        throw error;
      }
    },
    status: () => mirrorStatus(db, live),
  };
}

type Row = NonNullable<Awaited<ReturnType<typeof findRow>>>;
const findRow = (db: Queryable) => db.row(findMirrored, { orgnr: '' });

/** Whether the mirror is relied upon for this unit: followed since before the row was told, and not set aside. */
function isCurrent({ current_at, since, as_of, is_set_aside }: Row): boolean {
  if (current_at === null || since === null || as_of === null || is_set_aside) return false;
  if (Date.parse(as_of) < Date.parse(since)) return false;
  return isRecent(current_at);
}

/**
 * Brings the mirror in line with what a look-up says.
 * @returns false when something newer is known by now: the answer must not be used
 */
async function keep(
  db: Database,
  forget: Forget,
  orgnr: string,
  answer: RegisterAnswer,
  askedAt: string,
): Promise<boolean> {
  if (answer.outcome === 'found') {
    const parameters = { orgnr, units: rowsOf([answer.unit], askedAt), as_of: askedAt };
    return (await db.row(mirrorLookUp, parameters)) !== undefined;
  }
  return db.transaction(async (transaction) => {
    if (!(await transaction.row(invalidateOlder, { orgnr, as_of: askedAt }))) return false;
    if (answer.outcome === 'deleted') {
      const gone = JSON.stringify([{ orgnr, on: answer.on }]);
      await transaction.row(markDeleted, { gone, as_of: askedAt });
    } else if (answer.outcome === 'removed') await erase(transaction, forget, [orgnr]);
    else await transaction.row(eraseUnits, { orgnrs: [orgnr] });
    return true;
  });
}

/** Removal on legal grounds: neither mirror nor companies keep what the register said. */
export async function erase(on: Queryable, forget: Forget, orgnrs: string[]): Promise<void> {
  await on.row(recordRemoved, { orgnrs });
  await on.row(eraseUnits, { orgnrs });
  await forget(on, orgnrs);
}

function answerOf(row: Row): RegisterAnswer | undefined {
  if (row.orgnr === null) return undefined;
  if (row.deleted_on !== null) return { outcome: 'deleted', on: row.deleted_on };
  const unit = Object.fromEntries(UNIT_FIELDS.map((column) => [column, row[column]])) as Unit;
  return { outcome: 'found', unit, asOf: row.invalidated_at };
}
