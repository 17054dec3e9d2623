/** Of text without blanks: a thousand is written 1.000 or 1 000 in Bokmål, 1,000 in English. */
const WRITTEN = {
  nb: /^(?:kr\.?|nok)?(\d+|\d{1,3}(?:\.\d{3})+)(?:,0{1,2}|,[-–])?(?:kr\.?|nok|%)?$/i,
  en: /^(?:kr\.?|nok)?(\d+|\d{1,3}(?:,\d{3})+)(?:\.0{1,2}|,[-–])?(?:kr\.?|nok|%)?$/i,
};

/**
 * Reads a whole number as the language writes it: `1 250`, `kr 1.250,00`, `1250,-`, `NOK 1,250`, `50 %`.
 * Blank text is 0. All else is NaN, such as a number with øre or a sign, or too large to be exact: nothing is rounded.
 */
export function readWhole(text: string, language: keyof typeof WRITTEN): number {
  // Tabs and line breaks stay: two cells of a spreadsheet are not one number.
  const bare = text.trim().replaceAll(/[^\S\t\r\n]/g, '');
  const digits = bare && WRITTEN[language].exec(bare)?.[1]?.replaceAll(/[.,]/g, '');
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : NaN;
}
