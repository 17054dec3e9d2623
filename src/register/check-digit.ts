const WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2] as const;

/**
 * Whether nine digits can be an organisation number: the ninth is the modulus-11 check digit of the other
 * eight. The leading digit is not looked at; that numbers start with 8 or 9 is custom, not a rule.
 * @param orgnr a string of exactly nine digits
 */
export function hasValidCheckDigit(orgnr: string): boolean {
  const sum = WEIGHTS.reduce((total, weight, position) => total + weight * Number(orgnr[position]), 0);
  const check = (11 - (sum % 11)) % 11;
  return check === Number(orgnr[8]);
}
