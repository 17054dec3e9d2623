/** A telephone number as it is written: digits, with signs before and between them. */
const NUMBER = /[+*#]*\d[\d\s().*#-]*/g;

const DIALLED = /^\+?[\d*#]{3,15}$/;

/** The number to dial; undefined unless the text is exactly one number. */
export function telephoneAddress(value: string): string | undefined {
  const [number, another] = value.match(NUMBER) ?? [];
  if (number === undefined || another !== undefined) return undefined;
  // A `(0)` after the country code is not dialled.
  const dialled = number.replace(/^(\+.*?)\(0\)/, '$1').replaceAll(/[^\d+*#]/g, '');
  return DIALLED.test(dialled) ? `tel:${dialled}` : undefined;
}
