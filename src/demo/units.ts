import { hasValidCheckDigit } from '../register/check-digit.ts';
import { kindOf, type Unit } from '../register/register.ts';
import { GENERATED_PREFIX, generatedUnit } from '../register/sandbox/generated.ts';
import { REAL_UNITS } from '../register/sandbox/sandbox.ts';
import type { Draw } from './draw.ts';

/** Real companies that may be shown as leads, prospects and customers. */
const REAL = REAL_UNITS.filter((unit) => kindOf(unit) === 'unit' && unit.employees > 0);

/**
 * Real companies of the sandbox register that the workspace does not have.
 * @param taken organisation numbers that the workspace has
 */
export function chooseRealUnits(count: number, taken: ReadonlySet<string>, draw: Draw): Unit[] {
  return draw
    .shuffle(REAL)
    .filter(({ orgnr }) => !taken.has(orgnr))
    .slice(0, count);
}

/** Invented companies of the sandbox register, which can have any status. */
export function chooseInventedUnits(count: number, taken: ReadonlySet<string>, draw: Draw): Unit[] {
  const numbers = new Set<string>();
  while (numbers.size < count) {
    const orgnr = `${GENERATED_PREFIX}${draw.number(1_000_000, 9_999_999)}`;
    if (hasValidCheckDigit(orgnr) && !taken.has(orgnr)) numbers.add(orgnr);
  }
  return [...numbers].map(generatedUnit);
}
