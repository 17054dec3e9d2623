import type { Queryable } from '../../db/connect.ts';
import type { NationalRegister } from '../national/client.ts';
import {
  eraseUnits,
  estimateUnits,
  findCopy,
  findKept,
  keepUnits,
  keptRows,
  markDeleted,
  recordRemoved,
  type CopyState,
  type KeptUnit,
} from './store.ts';
import { RegisterUnavailable, type Register, type RegisterAnswer, type Unit } from '../register.ts';

/** A copy that was brought up to date longer ago than this is not relied upon: milliseconds. */
export const CURRENT_FOR = 2 * 24 * 3_600_000;

/**
 * The national register with what this service keeps of it. A current copy answers alone for every unit it
 * has; a number it lacks is asked for, because a new company may be hours old. Without a current copy every
 * number is asked for, each answer is kept, and a kept one serves while the register is out of reach.
 */
export function keptRegister(db: Queryable, live: NationalRegister): Register {
  async function ask(orgnr: string): Promise<RegisterAnswer> {
    const asked = new Date().toISOString();
    const answer = await live.find(orgnr);
    // As of when it was asked: what a sync learnt meanwhile is newer.
    await keep(db, orgnr, answer, asked);
    return answer;
  }

  return {
    title: live.title,
    async find(orgnr) {
      const row = await db.first(findKept, { orgnr });
      const kept = row?.orgnr ? answerOf({ ...row, orgnr: row.orgnr } as KeptUnit) : undefined;
      if (kept && isCurrent(row)) return kept;
      try {
        return await ask(orgnr);
      } catch (error) {
        if (kept && error instanceof RegisterUnavailable) return kept;
        throw error;
      }
    },
    async status() {
      const { source, facts, gauges } = await live.status();
      const copy = await db.first(findCopy, {});
      const units = (await db.first(estimateUnits, {}))?.units ?? 0;
      const age = copy ? Math.round((Date.now() - Date.parse(copy.current_at)) / 1_000) : null;
      return {
        source,
        facts: {
          ...facts,
          'units kept, about': units,
          'copy imported': copy?.imported_at ?? 'never',
          'copy current to': copy?.current_at ?? null,
          'copy relied upon': age !== null && age * 1_000 < CURRENT_FOR ? 'yes' : 'no',
          'copy synced': copy?.synced_at ?? null,
          'feed of units': copy ? (copy.units_after ?? copy.units_since) : null,
          'feed of branches': copy ? (copy.branches_after ?? copy.branches_since) : null,
          'last sync error': copy?.last_error ? `${copy.last_error_at} ${copy.last_error}` : null,
        },
        gauges: { ...gauges, units_kept: units, ...(age !== null && { copy_age_seconds: age }) },
      };
    },
  };
}

/** Whether the copy is relied upon, and the row is of what the feeds have been followed for since. */
function isCurrent(row: Partial<Nullable<CurrentRow>> | undefined): boolean {
  if (!row?.current_at || !row.as_of) return false;
  const since = row.is_branch ? row.branches_since : row.units_since;
  if (!since || Date.parse(row.as_of) < Date.parse(since)) return false;
  return Date.now() - Date.parse(row.current_at) < CURRENT_FOR;
}

type CurrentRow = Pick<CopyState, 'current_at' | 'units_since' | 'branches_since'> &
  Pick<KeptUnit, 'as_of' | 'is_branch'>;
type Nullable<T> = { [Name in keyof T]: T[Name] | null };

/** Brings what is kept of one unit in line with what the register says now. */
async function keep(db: Queryable, orgnr: string, answer: RegisterAnswer, asked: string): Promise<void> {
  switch (answer.outcome) {
    case 'found':
      await db.first(keepUnits, { units: keptRows([answer.unit], asked) });
      return;
    case 'deleted':
      await db.first(markDeleted, { gone: JSON.stringify([{ orgnr, on: answer.on }]), as_of: asked });
      return;
    case 'removed':
      await db.first(recordRemoved, { orgnrs: [orgnr] });
      await db.first(eraseUnits, { orgnrs: [orgnr] });
      return;
    default:
      await db.first(eraseUnits, { orgnrs: [orgnr] });
  }
}

function answerOf(row: KeptUnit): RegisterAnswer {
  return row.deleted_on === null
    ? { outcome: 'found', unit: unitOf(row) }
    : { outcome: 'deleted', on: row.deleted_on };
}

function unitOf(row: KeptUnit): Unit {
  return {
    orgnr: row.orgnr,
    name: row.name,
    org_form: row.org_form,
    registered_at: row.registered_at,
    employees: row.employees,
    nace_primary: row.nace_primary,
    email_address: row.email_address,
    phone_number: row.phone_number,
    mobile_number: row.mobile_number,
    website_url: row.website_url,
  };
}
