import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasValidCheckDigit } from './check-digit.ts';
import { TRAPS } from './sandbox/traps.ts';
import sandboxUnits from './sandbox/units.json' with { type: 'json' };

const KNOWN = [...sandboxUnits.units, ...sandboxUnits.dissolved].map(({ orgnr }) => orgnr);
const DIGITS = '0123456789'.split('');
const eightDigits = fc.integer({ min: 0, max: 99_999_999 }).map((number) => String(number).padStart(8, '0'));

describe('the check digit', () => {
  it.each([...KNOWN, ...TRAPS.keys()])('holds for %s', (orgnr) => {
    expect(hasValidCheckDigit(orgnr)).toBe(true);
  });

  it('fails when any one digit of a known number is another', () => {
    for (const orgnr of KNOWN) {
      const changed = orgnr
        .split('')
        .flatMap((digit, place) =>
          otherDigits(digit).map((other) => orgnr.slice(0, place) + other + orgnr.slice(place + 1)),
        );
      expect(changed).toHaveLength(81);
      expect(changed.filter(hasValidCheckDigit)).toEqual([]);
    }
  });

  it('fails when two different neighbouring digits of a known number change places', () => {
    for (const orgnr of KNOWN) {
      const swapped = orgnr
        .slice(0, 8)
        .split('')
        .map((digit, place) => orgnr.slice(0, place) + orgnr[place + 1] + digit + orgnr.slice(place + 2))
        .filter((number) => number !== orgnr);
      expect(swapped.filter(hasValidCheckDigit)).toEqual([]);
    }
  });

  it('is at most one for any eight digits, and none where it would be ten', () => {
    fc.assert(
      fc.property(eightDigits, (digits) => {
        const valid = DIGITS.filter((check) => hasValidCheckDigit(digits + check));
        const remainder =
          [3, 2, 7, 6, 5, 4, 3, 2].reduce((sum, w, at) => sum + w * Number(digits[at]), 0) % 11;
        expect(valid).toEqual(remainder === 1 ? [] : [String((11 - remainder) % 11)]);
      }),
    );
  });

  it('does not depend on the series that a number belongs to', () => {
    expect(hasValidCheckDigit('000000000')).toBe(true);
    expect(hasValidCheckDigit('310211036')).toBe(true);
    expect(hasValidCheckDigit('923609016')).toBe(true);
  });
});

function otherDigits(digit: string): string[] {
  return DIGITS.filter((other) => other !== digit);
}
