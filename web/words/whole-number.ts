/** Without blanks: a thousand is written 1.000 or 1 000 in Bokmål, 1,000 in English. */
const WRITTEN = {
  nb: /^(?:kr\.?|nok)?(\d+|\d{1,3}(?:\.\d{3})+)(?:,0{1,2}|,[-–])?(?:kr\.?|nok|%)?$/i,
  en: /^(?:kr\.?|nok)?(\d+|\d{1,3}(?:,\d{3})+)(?:\.0{1,2}|,[-–])?(?:kr\.?|nok|%)?$/i,
};

/**
 * Reads a whole number as the language writes it: `1 250`, `kr 1.250,00`, `1250,-`, `NOK 1,250`, `50 %`. Blanks are 0.
 * What has øre or a sign, is something else, or is too large to be exact, is NaN: it is never rounded.
 */
export function readWhole(text: string, language: keyof typeof WRITTEN): number {
  // Two cells of a sheet are not one number.
  const bare = text.trim().replaceAll(/[^\S\t\r\n]/g, '');
  const digits = bare && WRITTEN[language].exec(bare)?.[1]?.replaceAll(/[.,]/g, '');
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : NaN;
}
