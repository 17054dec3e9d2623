import type { Unit } from '../../register.ts';
import { COLUMNS, rowOf } from '../store.ts';

/** Characters that COPY's text format takes for its own. */
const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Rows of the mirror in COPY's text format, a line each. @param asOf when the register said so, ISO 8601 */
export function copyText(units: readonly Unit[], asOf: string): string {
  let text = '';
  for (const unit of units) {
    const row = rowOf(unit, asOf);
    text += `${COLUMNS.map((column) => cell(row[column])).join('\t')}\n`;
  }
  return text;
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return '\\N';
  return typeof value === 'string'
    ? value.replaceAll(SPECIAL, (character) => ESCAPES[character]!)
    : String(value);
}
