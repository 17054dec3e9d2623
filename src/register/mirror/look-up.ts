import type { Database } from '../../db/connect.ts';
import {
  RegisterUnavailable,
  UNIT_FIELDS,
  type Register,
  type RegisterAnswer,
  type Unit,
} from '../register.ts';
import { invalidateLookUps, invalidateOlder, lockLookUp } from './invalidations.ts';
import { removeUnits, type Forget } from './outcomes.ts';
import { searchMirror } from './search.ts';
import { findMirror } from './state.ts';
import { mirrorStatus } from './status.ts';
import { eraseUnits, findMirrored, markDissolved, mirrorUnits, rowsOf, type MirrorLookUp } from './units.ts';

/** How many times a unit is looked up if the feed reports it meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * The national register with its mirror in front. A current mirror answers alone for the units it has; a number it
 * lacks is looked up, because a new company may be only hours old. Without a current mirror every number is looked up;
 * the mirror keeps each unit and answers while the register is unavailable.
 * @param forget called for a unit that a look-up finds removed on legal grounds
 */
export function mirroredRegister(db: Database, live: Register, forget: Forget): Register {
  const underWay = new Map<string, Promise<RegisterAnswer>>();

  async function find(orgnr: string): Promise<RegisterAnswer> {
    const row = await readMirror(orgnr);
    const mirrored = answerOf(row);
    if (mirrored && row.is_current) return mirrored;
    try {
      return await lookUpShared(orgnr, row);
    } catch (error) {
      if (mirrored && error instanceof RegisterUnavailable) return mirrored;
      throw error;
    }
  }

  /** Concurrent look-ups of one number share a call. */
  function lookUpShared(orgnr: string, row: MirrorLookUp): Promise<RegisterAnswer> {
    return underWay.getOrInsertComputed(orgnr, () =>
      lookUp(orgnr, row, MAX_ATTEMPTS).finally(() => underWay.delete(orgnr)),
    );
  }

  async function lookUp(orgnr: string, row: MirrorLookUp, attempts: number): Promise<RegisterAnswer> {
    const answer = await live.find(orgnr);
    // Guesses of unknown numbers leave no trace.
    if (answer.outcome === 'unknown' && row.orgnr === null) return answer;
    if (await mirrorAnswer(orgnr, answer, row.asked_at)) {
      if (answer.outcome === 'found') return { ...answer, asOf: row.asked_at };
      // The mirror knows more about a dissolved unit than the register states.
      return answer.outcome === 'dissolved'
        ? (answerOf({ ...row, deleted_on: answer.on }) ?? answer)
        : answer;
    }
    if (attempts === 1) throw new RegisterUnavailable('the unit changes while it is looked up', 1);
    return lookUp(orgnr, await readMirror(orgnr), attempts - 1);
  }

  /** @returns false when something newer is already known: the answer must not be used */
  function mirrorAnswer(orgnr: string, answer: RegisterAnswer, asOf: string): Promise<boolean> {
    return db.transaction(async (transaction) => {
      const lock = answer.outcome === 'found' ? lockLookUp : invalidateOlder;
      if (!(await transaction.row(lock, { orgnr, as_of: asOf }))) return false;
      switch (answer.outcome) {
        case 'found':
          await transaction.row(mirrorUnits, { units: rowsOf([answer.unit], asOf) });
          break;
        case 'dissolved':
          await transaction.row(markDissolved, {
            gone: JSON.stringify([{ orgnr, on: answer.on }]),
            as_of: asOf,
          });
          break;
        case 'removed':
          // Look-ups that began after this one may still have been answered before the removal.
          await transaction.row(invalidateLookUps, { orgnrs: [orgnr] });
          await removeUnits(transaction, forget, [orgnr]);
          break;
        case 'unknown':
          await transaction.row(eraseUnits, { orgnrs: [orgnr] });
      }
      return true;
    });
  }

  async function search(q: string, limit: number): Promise<Unit[]> {
    const isMirrored = (await db.row(findMirror, {})) !== undefined;
    return isMirrored ? searchMirror(db, q, limit) : live.search(q, limit);
  }

  async function readMirror(orgnr: string): Promise<MirrorLookUp> {
    return (await db.row(findMirrored, { orgnr }))!;
  }

  return { title: live.title, find, search, status: () => mirrorStatus(db, live) };
}

function answerOf(row: MirrorLookUp): RegisterAnswer | undefined {
  if (row.orgnr === null) return undefined;
  const unit = Object.fromEntries(UNIT_FIELDS.map((field) => [field, row[field]])) as Unit;
  if (row.deleted_on !== null) return { outcome: 'dissolved', on: row.deleted_on, unit };
  return { outcome: 'found', unit, asOf: row.invalidated_at };
}
