import { z } from 'zod';
import { NOT_STATED, type RegisterAnswer } from '../register.ts';

/** What a body of the national register says, or why nothing can be concluded from it. */
export type Reading = RegisterAnswer | Unreadable;

/** `ofThisUnit`: the register answered about the unit asked for, and only its record is at fault. */
type Unreadable = { outcome: 'unreadable'; why: string; ofThisUnit?: true };

/** What a company's headcount can hold: a 32-bit integer. */
const LARGEST_HEADCOUNT = 2 ** 31 - 1;

const LONGEST_NAME = 255;

/** Free text over this is no contact detail, whatever it is. */
const LONGEST_CONTACT = 2_048;

/** A real calendar date that the database has too: its years begin with 1. */
const date = z.iso.date().refine((day) => day >= '0001', 'year 0000');

// Nobody checks what is registered as contact details, and no company is refused for them.
const contact = z
  .string()
  .nullish()
  .transform((text) => (text && isPresentable(text) ? text : null));

function isPresentable(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_CONTACT && !text.includes('\0') && text.isWellFormed();
}

/**
 * Facts that make a unit what it is must be there. Those that the register may leave out count as not stated
 * when they are absent or hold what this service cannot show; of another type than ever before, they are no
 * answer, because the register has changed its form and states them elsewhere.
 */
const activeUnit = z.object({
  organisasjonsnummer: z.string().regex(/^\d{9}$/),
  navn: z
    .string()
    .transform(cutName)
    .refine((name) => name.trim() !== '', 'blank'),
  organisasjonsform: z.object({ kode: z.string().regex(/^[\p{L}\p{N}]{1,20}$/u) }),
  registreringsdatoEnhetsregisteret: date,
  antallAnsatte: z
    .number()
    .nullish()
    .transform((count) => (isHeadcount(count) ? count : NOT_STATED.employees)),
  naeringskode1: z
    .object({ kode: z.string().nullable() })
    .nullish()
    .transform((industry) =>
      industry?.kode && /^\d{2}\.\d{3}$/.test(industry.kode) ? industry.kode : NOT_STATED.nace_primary,
    ),
  epostadresse: contact,
  telefon: contact,
  mobil: contact,
  hjemmeside: contact,
});

function isHeadcount(count: number | null | undefined): count is number {
  return Number.isInteger(count) && count! >= 0 && count! <= LARGEST_HEADCOUNT;
}

const deletedUnit = z.object({ slettedato: date });

const removedUnit = z.object({ slettedato: date.nullable().catch(null) });

/** Enough to tell whose record it is and which kind; older answers have no `respons_klasse`. */
const anyRecord = z.object({
  organisasjonsnummer: z.string(),
  slettedato: z.unknown().optional(),
  respons_klasse: z.unknown().optional(),
});

/**
 * Reads one record of the register, as a look-up (status 200) or the whole-register file holds it.
 * @param body the parsed JSON
 * @param orgnr whose record it must be; left out where any will do
 */
export function readRecord(body: unknown, orgnr?: string): Reading {
  const record = anyRecord.safeParse(body);
  if (!record.success) return unreadable('no unit', record.error);
  if (orgnr !== undefined && record.data.organisasjonsnummer !== orgnr) return anothersRecord();

  const { slettedato, respons_klasse: kind } = record.data;
  const isDeleted = slettedato !== undefined || (typeof kind === 'string' && kind.startsWith('Slettet'));
  return isDeleted ? readDeleted(body) : readActive(body);
}

/**
 * Reads the body that comes with status 410: a number and a date, or nothing.
 * @param body the parsed JSON, undefined where the body was empty
 */
export function readRemoval(body: unknown, orgnr: string): Reading {
  if (body === undefined) return { outcome: 'removed', on: null };
  const record = anyRecord.safeParse(body);
  if (!record.success) return unreadable('no removed unit', record.error);
  if (record.data.organisasjonsnummer !== orgnr) return anothersRecord();
  return { outcome: 'removed', on: removedUnit.parse(body).slettedato };
}

function readDeleted(body: unknown): Reading {
  const unit = deletedUnit.safeParse(body);
  if (!unit.success)
    return { ...unreadable('a deleted unit without its date', unit.error), ofThisUnit: true };
  return { outcome: 'deleted', on: unit.data.slettedato };
}

function readActive(body: unknown): Reading {
  const read = activeUnit.safeParse(body);
  if (!read.success)
    return { ...unreadable('a unit in another form than it should have', read.error), ofThisUnit: true };
  const unit = read.data;
  return {
    outcome: 'found',
    unit: {
      orgnr: unit.organisasjonsnummer,
      name: unit.navn,
      org_form: unit.organisasjonsform.kode,
      registered_at: unit.registreringsdatoEnhetsregisteret,
      employees: unit.antallAnsatte,
      nace_primary: unit.naeringskode1,
      email_address: unit.epostadresse,
      phone_number: unit.telefon,
      mobile_number: unit.mobil,
      website_url: unit.hjemmeside,
    },
  };
}

/** At most 255 UTF-16 units, never half a character, and nothing that PostgreSQL cannot store. */
function cutName(name: string): string {
  const cut = name.replaceAll('\0', '').toWellFormed().slice(0, LONGEST_NAME);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function anothersRecord(): Reading {
  return { outcome: 'unreadable', why: 'the record of another number than the one asked for' };
}

function unreadable(what: string, error: z.ZodError): Unreadable {
  const [fault] = error.issues;
  return { outcome: 'unreadable', why: `${what} (${fault?.path.join('.')}: ${fault?.message})` };
}
