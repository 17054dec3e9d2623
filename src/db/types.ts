import { types as builtIn, type CustomTypesConfig } from 'pg';

const INT8 = 20;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;

/**
 * Converts PostgreSQL's text to JSON values while a row is read. Sessions run in UTC with ISO dates.
 * A bigint becomes a number: every bigint column is limited to 2^53 - 1 or is an identity.
 */
export const types: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number;
    if (oid === DATE) return String;
    if (oid === TIMESTAMPTZ) return (text: string) => `${isoTimestamp(text)}Z`;
    if (oid === TIMESTAMP) return isoTimestamp;
    return builtIn.getTypeParser(oid, format);
  }) as CustomTypesConfig['getTypeParser'],
};

/** `2026-01-15 09:00:00.12+00` → `2026-01-15T09:00:00.120`; every timestamp column holds milliseconds. */
function isoTimestamp(text: string): string {
  const zone = text.indexOf('+', 19);
  if (zone !== -1 && text.slice(zone) !== '+00') throw new Error('the database session does not run in UTC');
  const fraction = text.slice(20, zone === -1 ? text.length : zone);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}`;
}
