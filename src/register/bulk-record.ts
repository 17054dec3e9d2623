import { FIELDS, isDigit, matches, type RecordScan } from './bulk-scan.ts';
import { readRecord } from './national-answer.ts';
import type { Unit } from './register.ts';

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

/** Forms of branches, for records without `respons_klasse`. */
const BRANCH_FORMS: ReadonlySet<string> = new Set(['BEDR', 'AAFY']);

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
  return readPlainly(bytes, scan) ?? readWhole(bytes.subarray(start, end));
}

/** @returns undefined where anything is not as it nearly always is */
export function readPlainly(bytes: Buffer, scan: RecordScan): BulkRecord | undefined {
  const { starts, ends } = scan;
  if (scan.odd || starts[DELETED] !== -1 || !isNumber(bytes, starts[NUMBER]!, ends[NUMBER]!)) return undefined;
  const name = textOf(bytes, starts[NAME]!, ends[NAME]!, LONGEST_NAME);
  const orgForm = formOf(bytes, starts[FORM]!, ends[FORM]!);
  const isBranch = isBranchOf(bytes, starts[KIND]!, ends[KIND]!, orgForm);
  const employees = headcountOf(bytes, starts[HEADCOUNT]!, ends[HEADCOUNT]!);
  const nacePrimary = industryOf(bytes, starts[INDUSTRY]!, ends[INDUSTRY]!);
  const emailAddress = textOf(bytes, starts[EMAIL]!, ends[EMAIL]!, LONGEST_CONTACT);
  const phoneNumber = textOf(bytes, starts[PHONE]!, ends[PHONE]!, LONGEST_CONTACT);
  const mobileNumber = textOf(bytes, starts[MOBILE]!, ends[MOBILE]!, LONGEST_CONTACT);
  const websiteUrl = textOf(bytes, starts[WEBSITE]!, ends[WEBSITE]!, LONGEST_CONTACT);
  if (
    typeof name !== 'string' ||
    orgForm === undefined ||
    isBranch === undefined ||
    !isDate(bytes, starts[REGISTERED]!, ends[REGISTERED]!) ||
    employees === undefined ||
    nacePrimary === undefined ||
    emailAddress === undefined ||
    phoneNumber === undefined ||
    mobileNumber === undefined ||
    websiteUrl === undefined
  ) {
    return undefined;
  }
  const unit = {
    orgnr: bytes.toString('latin1', starts[NUMBER], ends[NUMBER]),
    name,
    orgForm,
    registeredAt: bytes.toString('latin1', starts[REGISTERED], ends[REGISTERED]),
    employees,
    nacePrimary,
    emailAddress,
    phoneNumber,
    mobileNumber,
    websiteUrl,
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
  return { unit, isBranch: kind === 'Underenhet' || (kind !== 'Enhet' && BRANCH_FORMS.has(unit.orgForm)) };
}

function isNumber(bytes: Buffer, start: number, end: number): boolean {
  return start !== -1 && end - start === 9 && areDigits(bytes, start, end);
}

/** @returns null where there is none, undefined where it is not certain that it can be taken as it stands */
function textOf(bytes: Buffer, start: number, end: number, longest: number): string | null | undefined {
  if (start === -1) return null;
  if (start === end || end - start > longest) return undefined;
  // No white space begins with these: the text is not blank. 0xc3 is the first byte of Æ, Ø, Å.
  const first = bytes[start]!;
  if (first <= 0x20 || (first >= 0x7f && first !== 0xc3)) return undefined;
  for (let at = start; at < end; at++) {
    if (bytes[at]! < 0x80) continue;
    const text = bytes.toString('utf8', start, end);
    // The mark of bytes that are no UTF-8.
    return text.includes('\ufffd') ? undefined : text;
  }
  return bytes.toString('latin1', start, end);
}

/** Upper-case ASCII only; SÆR is one of the unusual ones. */
function formOf(bytes: Buffer, start: number, end: number): string | undefined {
  if (start === -1 || start === end || end - start > 20) return undefined;
  for (let at = start; at < end; at++) {
    if (bytes[at]! < 0x41 || bytes[at]! > 0x5a) return undefined;
  }
  return bytes.toString('latin1', start, end);
}

function isBranchOf(
  bytes: Buffer,
  start: number,
  end: number,
  orgForm: string | undefined,
): boolean | undefined {
  if (start === -1) return orgForm !== undefined && BRANCH_FORMS.has(orgForm);
  if (matches(bytes, start, end, UNIT)) return false;
  return matches(bytes, start, end, BRANCH) ? true : undefined;
}

/** YYYY-MM-DD that the calendar has. A 29 February is left to the other way. */
function isDate(bytes: Buffer, start: number, end: number): boolean {
  if (start === -1 || end - start !== 10 || bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return false;
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

function industryOf(bytes: Buffer, start: number, end: number): string | undefined {
  if (start === -1) return '00.000';
  if (end - start !== 6 || bytes[start + 2] !== 0x2e) return undefined;
  if (!areDigits(bytes, start, start + 2) || !areDigits(bytes, start + 3, end)) return undefined;
  return bytes.toString('latin1', start, end);
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
