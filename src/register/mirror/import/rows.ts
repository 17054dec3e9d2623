import type { BulkRecord } from './bulk-record.ts';

/** Columns in the order of {@link copyText}. The others have defaults that are the same for a whole file. */
export const COPIED_COLUMNS =
  'orgnr, name, org_form, registered_at, employees, nace_primary, email_address, phone_number, mobile_number, website_url, is_branch';

/** Characters that COPY's text format takes for its own. */
const SPECIAL = /[\\\t\n\r]/;

/** Rows in COPY's text format, a line each. */
export function copyText(records: readonly BulkRecord[]): string {
  let text = '';
  for (const { unit, isBranch } of records) {
    text += `${unit.orgnr}\t${cell(unit.name)}\t${unit.org_form}\t${unit.registered_at}\t${unit.employees}\t${unit.nace_primary}\t${cell(unit.email_address)}\t${cell(unit.phone_number)}\t${cell(unit.mobile_number)}\t${cell(unit.website_url)}\t${isBranch ? 't' : 'f'}\n`;
  }
  return text;
}

function cell(value: string | null): string {
  if (value === null) return '\\N';
  return SPECIAL.test(value) ? escaped(value) : value;
}

function escaped(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}
