import { FIELDS, isDigit, matches, type RecordScan } from './bulk-scan.ts';
import { readRecord } from '../../national/answer.ts';
import { BRANCH_FORMS, type Unit } from '../../register.ts';

/** An active unit of the whole-register file. */
export type BulkRecord = { unit: Unit; isBranch: boolean };

/** What a record of the file came to: a unit, one that is no longer active, or nothing that can be used. */
export type BulkReading = BulkRecord | 'gone' | { unreadable: string };

const place = (name: (typeof FIELDS)[number]): number => FIELDS.indexOf(name);
const NUMBER = place('organisasjonsnummer');
const NAME = place('navn');
const FORM = place('organisasjonsform');
const REGISTERED = place('registreringsdatoEnhetsregisteret');
const HEADCOUNT = place('antallAnsatte');
const INDUSTRY = place('naeringskode1');
const EMAIL = place('epostadresse');
const PHONE = place('telefon');
const MOBILE = place('mobil');
const WEBSITE = place('hjemmeside');
const KIND = place('respons_klasse');
const DELETED = place('slettedato');

const UNIT = Buffer.from('Enhet');
const BRANCH = Buffer.from('Underenhet');

/** The register's own code for an industry that is not stated. */
const NO_INDUSTRY = '00.000';

/** Bytes. What is not longer than this is not longer in characters either. */
const LONGEST_NAME = 255;
const LONGEST_CONTACT = 2_048;
const MOST_DIGITS = 9;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads a record that was scanned. Plain ones, nearly all, are read off the bytes at once; whatever is unusual
 * goes the way of a look-up, so that both say the same of every record.
 */
export function readBulkRecord(bytes: Buffer, start: number, end: number, scan: RecordScan): BulkReading {
  return readPlainly(bytes, start, end, scan) ?? readWhole(bytes.subarray(start, end));
}

/** @returns undefined where anything is not as it nearly always is */
export function readPlainly(
  bytes: Buffer,
  start: number,
  end: number,
  scan: RecordScan,
): BulkRecord | undefined {
  const { starts, ends } = scan;
  if (scan.odd || starts[DELETED] !== -1) return undefined;
  if (!isNumber(bytes, starts[NUMBER]!, ends[NUMBER]!)) return undefined;
  if (!isDate(bytes, starts[REGISTERED]!, ends[REGISTERED]!)) return undefined;
  if (!isForm(bytes, starts[FORM]!, ends[FORM]!)) return undefined;
  if (starts[INDUSTRY] !== -1 && !isIndustry(bytes, starts[INDUSTRY]!, ends[INDUSTRY]!)) return undefined;

  // Text is made once for the record: cutting strings is cheaper than making each from bytes.
  const ascii = bytes.toString('latin1', start, end);
  const cut = (field: number): string => ascii.slice(starts[field]! - start, ends[field]! - start);
  const textOf = (field: number, longest: number): string | null | undefined =>
    starts[field] === -1
      ? null
      : isPlainAscii(bytes, starts[field]!, ends[field]!, longest)
        ? cut(field)
        : unicodeText(bytes, starts[field]!, ends[field]!, longest);

  const name = textOf(NAME, LONGEST_NAME);
  const org_form = cut(FORM);
  const isBranch = isBranchOf(bytes, starts[KIND]!, ends[KIND]!, org_form);
  const employees = headcountOf(bytes, starts[HEADCOUNT]!, ends[HEADCOUNT]!);
  const email_address = textOf(EMAIL, LONGEST_CONTACT);
  const phone_number = textOf(PHONE, LONGEST_CONTACT);
  const mobile_number = textOf(MOBILE, LONGEST_CONTACT);
  const website_url = textOf(WEBSITE, LONGEST_CONTACT);
  if (
    typeof name !== 'string' ||
    isBranch === undefined ||
    employees === undefined ||
    email_address === undefined ||
    phone_number === undefined ||
    mobile_number === undefined ||
    website_url === undefined
  ) {
    return undefined;
  }
  const unit = {
    orgnr: cut(NUMBER),
    name,
    org_form,
    registered_at: cut(REGISTERED),
    employees,
    nace_primary: starts[INDUSTRY] === -1 ? NO_INDUSTRY : cut(INDUSTRY),
    email_address,
    phone_number,
    mobile_number,
    website_url,
  };
  return { unit, isBranch };
}

/** Reads any record at all, as a look-up would. @param bytes those of the record alone */
export function readWhole(bytes: Uint8Array): BulkReading {
  let record: unknown;
  try {
    record = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { unreadable: 'neither JSON nor UTF-8 throughout' };
  }
  const reading = readRecord(record);
  if (reading.outcome === 'unreadable') return { unreadable: reading.why };
  if (reading.outcome !== 'found') return 'gone';
  const kind = (record as { respons_klasse?: unknown }).respons_klasse;
  const { unit } = reading;
  return { unit, isBranch: kind === 'Underenhet' || (kind !== 'Enhet' && BRANCH_FORMS.has(unit.org_form)) };
}

function isNumber(bytes: Buffer, start: number, end: number): boolean {
  return start !== -1 && end - start === 9 && areDigits(bytes, start, end);
}

/** Text that can be taken as it stands: ASCII, not blank, not too long. */
function isPlainAscii(bytes: Buffer, start: number, end: number, longest: number): boolean {
  if (start === end || end - start > longest || bytes[start]! <= 0x20) return false;
  for (let at = start; at < end; at++) {
    if (bytes[at]! >= 0x7f) return false;
  }
  return true;
}

/** @returns undefined where it is not certain that the text can be taken as it stands */
function unicodeText(bytes: Buffer, start: number, end: number, longest: number): string | undefined {
  if (start === end || end - start > longest) return undefined;
  // No white space begins with these: the text is not blank. 0xc3 is the first byte of Æ, Ø, Å.
  const first = bytes[start]!;
  if (first <= 0x20 || (first >= 0x7f && first !== 0xc3)) return undefined;
  const text = bytes.toString('utf8', start, end);
  // The mark of bytes that are no UTF-8.
  return text.includes('\ufffd') ? undefined : text;
}

/** Upper-case ASCII only; SÆR is one of the unusual ones. */
function isForm(bytes: Buffer, start: number, end: number): boolean {
  if (start === -1 || start === end || end - start > 20) return false;
  for (let at = start; at < end; at++) {
    if (bytes[at]! < 0x41 || bytes[at]! > 0x5a) return false;
  }
  return true;
}

function isBranchOf(bytes: Buffer, start: number, end: number, org_form: string): boolean | undefined {
  if (start === -1) return BRANCH_FORMS.has(org_form);
  if (matches(bytes, start, end, UNIT)) return false;
  return matches(bytes, start, end, BRANCH) ? true : undefined;
}

/** YYYY-MM-DD that the calendar has. A 29 February is left to the other way. */
function isDate(bytes: Buffer, start: number, end: number): boolean {
  if (start === -1 || end - start !== 10 || bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d)
    return false;
  if (!areDigits(bytes, start, start + 4) || numberAt(bytes, start, start + 4) === 0) return false;
  if (!areDigits(bytes, start + 5, start + 7) || !areDigits(bytes, start + 8, end)) return false;
  const day = numberAt(bytes, start + 8, end);
  return day >= 1 && day <= (DAYS[numberAt(bytes, start + 5, start + 7) - 1] ?? 0);
}

function headcountOf(bytes: Buffer, start: number, end: number): number | undefined {
  if (start === -1) return 0;
  const leadingZero = bytes[start] === 0x30 && end - start > 1;
  if (end - start > MOST_DIGITS || leadingZero || !areDigits(bytes, start, end)) return undefined;
  return numberAt(bytes, start, end);
}

function isIndustry(bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== 6 || bytes[start + 2] !== 0x2e) return false;
  return areDigits(bytes, start, start + 2) && areDigits(bytes, start + 3, end);
}

function areDigits(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (!isDigit(bytes[at]!)) return false;
  }
  return true;
}

function numberAt(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + bytes[at]! - 0x30;
  return value;
}
