import { TypeOverrides, types as pgTypes } from 'pg';

const { INT8, DATE, TIMESTAMP, TIMESTAMPTZ } = pgTypes.builtins;

/**
 * Converts PostgreSQL's text to JSON values while a row is read. Sessions run in UTC with ISO dates.
 * A bigint becomes a number: every bigint column is limited to 2^53 - 1 or is an identity.
 */
export const types = new TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(DATE, String);
types.setTypeParser(TIMESTAMPTZ, (text) => `${isoTimestamp(text)}Z`);
types.setTypeParser(TIMESTAMP, isoTimestamp);

/** `2026-01-15 09:00:00.12+00` → `2026-01-15T09:00:00.120`; every timestamp column holds milliseconds. */
function isoTimestamp(text: string): string {
  const zone = text.indexOf('+', 19);
  if (zone !== -1 && text.slice(zone) !== '+00') throw new Error('the database session does not run in UTC');
  const fraction = text.slice(20, zone === -1 ? text.length : zone);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}`;
}
