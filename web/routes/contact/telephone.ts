/** What a telephone is handed: digits, with a + where the number has one. */
export function telephoneAddress(value: string): string {
  return `tel:${value.replaceAll(/[^\d+*#]/g, '')}`;
}
