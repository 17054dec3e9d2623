import type { Unit } from '../src/register/register.ts';

/** A record as the national register writes it: optional fields are absent, never null. */
export type RegisterRecord = {
  organisasjonsnummer: string;
  organisasjonsform: { kode: string; [field: string]: unknown };
  [field: string]: unknown;
};

const ROOT = 'https://data.brreg.no/enhetsregisteret/api';

/** Codes of forms that the register keeps as sub-units. */
const SUB_UNIT_FORMS = new Set(['BEDR', 'AAFY']);

export function isSubUnit(record: RegisterRecord): boolean {
  return SUB_UNIT_FORMS.has(record.organisasjonsform.kode);
}

/** The register's record of a unit: what it withholds or does not state is left out. */
export function recordOf(unit: Unit): RegisterRecord {
  const stated = {
    ...(unit.employees > 0 && { antallAnsatte: unit.employees }),
    ...(unit.nace_primary !== '00.000' && {
      naeringskode1: { kode: unit.nace_primary, beskrivelse: 'Prøve' },
    }),
    ...(unit.email_address !== null && { epostadresse: unit.email_address }),
    ...(unit.phone_number !== null && { telefon: unit.phone_number }),
    ...(unit.mobile_number !== null && { mobil: unit.mobile_number }),
    ...(unit.website_url !== null && { hjemmeside: unit.website_url }),
  };
  return {
    respons_klasse: SUB_UNIT_FORMS.has(unit.org_form) ? 'Underenhet' : 'Enhet',
    organisasjonsnummer: unit.orgnr,
    navn: unit.name,
    organisasjonsform: form(unit.org_form),
    registreringsdatoEnhetsregisteret: unit.registered_at,
    harRegistrertAntallAnsatte: true,
    registrertIMvaregisteret: false,
    ...stated,
    _links: self(SUB_UNIT_FORMS.has(unit.org_form), unit.orgnr),
  };
}

/**
 * The reduced record of a deleted unit.
 * @param options.withClass false for the older shape, without `respons_klasse`
 */
export function deletedRecordOf(
  unit: { orgnr: string; name: string; org_form: string; on: string },
  options: { withClass: boolean } = { withClass: true },
): RegisterRecord {
  return {
    ...(options.withClass && { respons_klasse: 'SlettetEnhet' }),
    organisasjonsnummer: unit.orgnr,
    navn: unit.name,
    organisasjonsform: form(unit.org_form),
    slettedato: unit.on,
    _links: self(SUB_UNIT_FORMS.has(unit.org_form), unit.orgnr),
  };
}

/** An invented unit of which the register states everything it can. */
export function fullRecord(orgnr: string): RegisterRecord {
  return {
    _links: self(false, orgnr),
    respons_klasse: 'Enhet',
    organisasjonsnummer: orgnr,
    navn: 'FULLSTENDIG PRØVE SÆRFORETAK',
    organisasjonsform: { ...form('SÆR'), utgaatt: '2024-01-03' },
    ...addresses('forretningsadresse'),
    ...industries(),
    ...counts(),
    ...contacts(),
    registreringsdatoEnhetsregisteret: '2001-02-03',
    registrertIMvaregisteret: true,
    registrertIForetaksregisteret: true,
    registrertIStiftelsesregisteret: false,
    registrertIFrivillighetsregisteret: false,
    registrertIPartiregisteret: false,
    registreringsdatoForetaksregisteret: '2001-02-04',
    registreringsdatoMerverdiavgiftsregisteret: '2001-02-05',
    stiftelsesdato: '2001-01-31',
    vedtektsdato: '2020-05-12',
    vedtektsfestetFormaal: ['Å være fullstendig i prøver,', 'og det som hører til.'],
    aktivitet: ['Å være fullstendig i prøver.'],
    maalform: 'Bokmål',
    institusjonellSektorkode: { kode: '2100', beskrivelse: 'Private aksjeselskaper mv.' },
    kapital: { type: 'Aksjekapital', belop: 5976872600.0, antallAksjer: 2390749040, valuta: 'NOK' },
    historiskeNavn: [
      { navn: 'UFERDIG PRØVE', fraDato: '2001-02-03 16:23:00', tilDato: '2009-11-02 07:56:24' },
    ],
    paategninger: [{ infotype: 'NAVN', tekst: 'Påtegning', innfoertDato: '2024-01-01' }],
    konkurs: false,
    underAvvikling: false,
    underTvangsavviklingEllerTvangsopplosning: false,
    erIKonsern: true,
    overordnetEnhet: '310211036',
    sisteInnsendteAarsregnskap: '2025',
  };
}

/** An invented branch of which the register states everything it can. */
export function fullSubUnitRecord(orgnr: string): RegisterRecord {
  return {
    _links: self(true, orgnr),
    respons_klasse: 'Underenhet',
    organisasjonsnummer: orgnr,
    navn: 'FULLSTENDIG PRØVE SÆRFORETAK AVD ØST',
    organisasjonsform: form('BEDR'),
    ...addresses('beliggenhetsadresse'),
    ...industries(),
    ...counts(),
    ...contacts(),
    registreringsdatoEnhetsregisteret: '2001-02-03',
    registrertIMvaregisteret: true,
    overordnetEnhet: '310211036',
    oppstartsdato: '2001-02-01',
    datoEierskifte: '2010-04-05',
  };
}

function form(kode: string): { kode: string; beskrivelse: string } {
  return { kode, beskrivelse: `Organisasjonsform ${kode}` };
}

function self(subUnit: boolean, orgnr: string): unknown {
  return { self: { href: `${ROOT}/${subUnit ? 'underenheter' : 'enheter'}/${orgnr}` } };
}

function addresses(kind: string): Record<string, unknown> {
  const address = {
    adresse: ['Prøvegata 1'],
    postnummer: '8900',
    poststed: 'BRØNNØYSUND',
    kommune: 'BRØNNØY',
    kommunenummer: '1813',
    land: 'Norge',
    landkode: 'NO',
  };
  return { [kind]: address, postadresse: { ...address, adresse: ['Postboks 1'] } };
}

function industries(): Record<string, unknown> {
  return {
    naeringskode1: { kode: '86.101', beskrivelse: 'Somatiske sykehus' },
    naeringskode2: { kode: '62.100', beskrivelse: 'Programmering' },
    naeringskode3: { kode: '19.200', beskrivelse: 'Petroleumsprodukter' },
    hjelpeenhetskode: { kode: '70.100', beskrivelse: 'Hovedkontor' },
  };
}

function counts(): Record<string, unknown> {
  return {
    antallAnsatte: 12345,
    harRegistrertAntallAnsatte: true,
    registreringsdatoAntallAnsatteNAVAaregisteret: '2026-09-10',
    registreringsdatoAntallAnsatteEnhetsregisteret: '2026-09-14',
  };
}

function contacts(): Record<string, unknown> {
  return {
    epostadresse: 'post@fullstendig.example',
    telefon: '00 00 10 00',
    mobil: '00001001',
    hjemmeside: 'www.fullstendig.example/',
  };
}
