import { z } from 'zod';
import {
  dissolvedAnswer,
  NOT_STATED,
  type RegisterAnswer,
  type RegisterFault,
  type Unit,
} from '../register.ts';

/** `fault` is `unit` where the answer is about the unit asked for. */
export type Reading = RegisterAnswer | { outcome: 'unreadable'; why: string; fault: RegisterFault };

/** The column is a 32-bit integer. */
const MAX_EMPLOYEES = 2 ** 31 - 1;
const MAX_NAME = 255;
const MAX_CONTACT = 2_048;

/** PostgreSQL has no year 0. */
const date = z.iso.date().refine((day) => day >= '0001', 'year 0000');

const contact = z.string().nullish();

/** Contact details are free text in the register: any that can be stored and is not blank is kept. */
function contactOf(text: string | null | undefined): string | null {
  return text && isContact(text) ? text : null;
}

function isContact(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_CONTACT && !text.includes('\0') && text.isWellFormed();
}

function isEmployees(count: number | null | undefined): count is number {
  return Number.isInteger(count) && count! >= 0 && count! <= MAX_EMPLOYEES;
}

const name = z
  .string()
  .transform(cutName)
  .refine((text) => text.trim() !== '', 'blank');

const form = z.object({ kode: z.string().regex(/^[\p{L}\p{N}]{1,20}$/u) });

/**
 * An optional field counts as not stated where it is absent or has a value that cannot be stored. If it has another
 * type, the record is unreadable: the register has changed its format, and "not stated" would be wrong.
 */
const activeUnit = z.object({
  organisasjonsnummer: z.string().regex(/^\d{9}$/),
  navn: name,
  organisasjonsform: form,
  registreringsdatoEnhetsregisteret: date,
  antallAnsatte: z.number().nullish(),
  naeringskode1: z.object({ kode: z.string().nullable() }).nullish(),
  epostadresse: contact,
  telefon: contact,
  mobil: contact,
  hjemmeside: contact,
});

/** A function of its own, called for each record of the register: a transform of the schema takes twice as long. */
function unitOf(record: z.infer<typeof activeUnit>): Unit {
  return {
    orgnr: record.organisasjonsnummer,
    name: record.navn,
    org_form: record.organisasjonsform.kode,
    registered_at: record.registreringsdatoEnhetsregisteret,
    employees: isEmployees(record.antallAnsatte) ? record.antallAnsatte : NOT_STATED.employees,
    nace_primary: /^\d{2}\.\d{3}$/.exec(record.naeringskode1?.kode ?? '')?.[0] ?? NOT_STATED.nace_primary,
    email_address: contactOf(record.epostadresse),
    phone_number: contactOf(record.telefon),
    mobile_number: contactOf(record.mobil),
    website_url: contactOf(record.hjemmeside),
  };
}

/** For a dissolved unit only the date is required. */
const dissolvedUnit = z
  .object({
    organisasjonsnummer: z.string(),
    slettedato: date,
    navn: name.nullable().catch(null),
    organisasjonsform: form.nullable().catch(null),
  })
  .transform(({ organisasjonsnummer: orgnr, slettedato, navn, organisasjonsform }) =>
    dissolvedAnswer({ orgnr, name: navn ?? orgnr, org_form: organisasjonsform?.kode ?? null }, slettedato),
  );
const removedUnit = z.object({ slettedato: date.nullable().catch(null) });

/** What every record has; older answers have no `respons_klasse`. */
const anyRecord = z.object({
  organisasjonsnummer: z.string(),
  slettedato: z.unknown().optional(),
  respons_klasse: z.unknown().optional(),
});

/**
 * Reads a record, as a look-up (status 200) or a file of the whole register has it.
 * @param orgnr the number it must have; any will do when absent
 */
export function readRecord(body: unknown, orgnr?: string): Reading {
  const record = anyRecord.safeParse(body);
  if (!record.success) return unreadable('no unit', record.error, 'register');
  if (orgnr !== undefined && record.data.organisasjonsnummer !== orgnr) return OTHER_UNIT;
  const { slettedato, respons_klasse: type } = record.data;
  const isDissolved = slettedato !== undefined || (typeof type === 'string' && type.startsWith('Slettet'));
  if (isDissolved) {
    const unit = dissolvedUnit.safeParse(body);
    if (!unit.success) return unreadable('a deleted unit without its date', unit.error, 'unit');
    return unit.data;
  }
  const unit = activeUnit.safeParse(body);
  if (!unit.success) return unreadable('a unit in an unknown format', unit.error, 'unit');
  return { outcome: 'found', unit: unitOf(unit.data) };
}

/** Reads the body of a 410: number and date, or empty (undefined). */
export function readRemoval(body: unknown, orgnr: string): Reading {
  if (body === undefined) return { outcome: 'removed', on: null };
  const record = anyRecord.safeParse(body);
  if (!record.success) return unreadable('no removed unit', record.error, 'register');
  if (record.data.organisasjonsnummer !== orgnr) return OTHER_UNIT;
  return { outcome: 'removed', on: removedUnit.parse(body).slettedato };
}

const OTHER_UNIT: Reading = {
  outcome: 'unreadable',
  why: 'the record of another number than the one asked for',
  fault: 'register',
};

function unreadable(what: string, error: z.ZodError, fault: RegisterFault): Reading {
  const [issue] = error.issues;
  return { outcome: 'unreadable', why: `${what} (${issue?.path.join('.')}: ${issue?.message})`, fault };
}

/** Cuts to MAX_NAME UTF-16 units, never inside a character, and drops what PostgreSQL cannot store. */
function cutName(name: string): string {
  const cut = name.replaceAll('\0', '').toWellFormed().slice(0, MAX_NAME);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
