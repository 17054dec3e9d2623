import type { Queryable } from '../../db/connect.ts';
import {
  NOT_STATED,
  OPTIONAL_FIELDS,
  RegisterUnavailable,
  type OptionalField,
  type Unit,
} from '../register.ts';
import type { StatedCounts } from './state.ts';
import { findUnits } from './store.ts';

/** Of changed units that stated a field before, at least this share must state it now. */
const MIN_SHARE = 0.5;

/** Fewer than this say nothing about the register. */
const MIN_BEFORE = 10;

/** Counts past this are halved, so that what is long ago counts little. */
const MAX_BEFORE = 200;

/**
 * Compares what changed units state now with what the mirror has of them: a field that the register has renamed
 * would otherwise empty one company after the other.
 * @returns the counts so far, of this feed
 * @throws {RegisterUnavailable} when a field has all but vanished, naming it
 */
export async function countStated(
  on: Queryable,
  counts: StatedCounts,
  units: readonly Unit[],
): Promise<StatedCounts> {
  if (units.length === 0) return counts;
  const former = await on.rows(findUnits, { orgnrs: units.map(({ orgnr }) => orgnr) });
  const known = new Set(former.map(({ orgnr }) => orgnr));
  const now = units.filter(({ orgnr }) => known.has(orgnr));
  return Object.fromEntries(
    OPTIONAL_FIELDS.map((field) => {
      const { before, after } = counts[field] ?? { before: 0, after: 0 };
      const count = { before: before + stated(former, field), after: after + stated(now, field) };
      if (count.before >= MIN_BEFORE && count.after < count.before * MIN_SHARE) {
        throw new RegisterUnavailable(
          `${field} is stated by ${count.after} of the ${count.before} changed units that stated it before: the register seems to have changed its form`,
          60,
        );
      }
      const weight = count.before > MAX_BEFORE ? 0.5 : 1;
      return [field, { before: count.before * weight, after: count.after * weight }];
    }),
  );
}

function stated(units: readonly Unit[], field: OptionalField): number {
  return units.filter((unit) => unit[field] !== NOT_STATED[field]).length;
}
