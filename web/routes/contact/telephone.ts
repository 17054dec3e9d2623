/** Digits, with what is written between them. */
const NUMBER = /[+*#]*\d[\d\s().*#-]*/g;

const DIALLED = /^\+?[\d*#]{3,15}$/;

/** The number to dial; undefined unless the text is exactly one number. */
export function telephoneAddress(value: string): string | undefined {
  const [number, another] = value.match(NUMBER) ?? [];
  if (number === undefined || another !== undefined) return undefined;
  // After the code of the country, this zero is not dialled.
  const dialled = number.replace(/^(\+.*?)\(0\)/, '$1').replaceAll(/[^\d+*#]/g, '');
  return DIALLED.test(dialled) ? `tel:${dialled}` : undefined;
}
