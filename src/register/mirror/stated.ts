import type { Queryable } from '../../db/connect.ts';
import { countStated, OPTIONAL_FIELDS, RegisterUnavailable, type Unit } from '../register.ts';
import type { StatedCounts } from './state.ts';
import { findUnits } from './units.ts';

/** Of the changed units that stated a field before, at least this share must state it now. */
const MIN_SHARE = 0.5;

/** Fewer units prove nothing. */
const MIN_BEFORE = 10;

/** Counts above this are halved, so that older changes count less. */
const MAX_BEFORE = 200;

/**
 * Compares which fields the changed units state with what the mirror has of them: a field that the register has renamed
 * would otherwise be cleared in one company after the other.
 * @param counts of earlier changes in this feed
 * @returns the same, with these changes added
 * @throws {RegisterUnavailable} naming a field that too few units still state
 */
export async function compareStated(
  transaction: Queryable,
  counts: StatedCounts,
  units: readonly Unit[],
): Promise<StatedCounts> {
  if (units.length === 0) return counts;
  const former = await transaction.rows(findUnits, { orgnrs: units.map(({ orgnr }) => orgnr) });
  const known = new Set(former.map(({ orgnr }) => orgnr));
  const statedBefore = countStated(former);
  const statedNow = countStated(units.filter(({ orgnr }) => known.has(orgnr)));
  return Object.fromEntries(
    OPTIONAL_FIELDS.map((field) => {
      const before = statedBefore[field] + (counts[field]?.before ?? 0);
      const after = statedNow[field] + (counts[field]?.after ?? 0);
      if (before >= MIN_BEFORE && after < before * MIN_SHARE) {
        throw new RegisterUnavailable(
          `${field} is stated by ${Math.round(after)} of the ${Math.round(before)} changed units that stated it before: the register seems to have changed its format`,
          60,
        );
      }
      const weight = before > MAX_BEFORE ? 0.5 : 1;
      return [field, { before: before * weight, after: after * weight }];
    }),
  );
}
