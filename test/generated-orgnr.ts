import { hasValidCheckDigit } from '../src/register/check-digit.ts';
import { GENERATED_PREFIX } from '../src/register/sandbox/generated.ts';

/** How many numbers {@link generatedOrgnr} can give. */
export const GENERATED_COUNT = 900_000;

/**
 * A number of the generated block, for tests and benches that need many companies.
 * Different indexes give different numbers, the same index always the same one.
 * @param index a whole number from 0 up to, but not including, {@link GENERATED_COUNT}
 * @throws {RangeError} when the index is outside that range
 */
export function generatedOrgnr(index: number): string {
  if (!Number.isInteger(index) || index < 0 || index >= GENERATED_COUNT) {
    throw new RangeError(`no generated company has index ${index}`);
  }
  // Of ten numbers that differ in the eighth digit, at most one has no check digit: nine always remain.
  const seven = GENERATED_PREFIX + String(Math.floor(index / 9)).padStart(5, '0');
  return validNumbersAfter(seven)[index % 9]!;
}

function validNumbersAfter(sevenDigits: string): string[] {
  const all = Array.from({ length: 100 }, (_, tail) => sevenDigits + String(tail).padStart(2, '0'));
  return all.filter(hasValidCheckDigit);
}
