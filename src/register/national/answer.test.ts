import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullRecord, recordOf, type RegisterRecord } from '../../../test/register-records.ts';
import { readRecord, readRemoval } from './answer.ts';
import type { Unit } from '../register.ts';

const ORGNR = '333333333';

const MINIMAL: RegisterRecord = {
  organisasjonsnummer: ORGNR,
  navn: 'ENE ENSOM PRØVE',
  organisasjonsform: { kode: 'ENK' },
  registreringsdatoEnhetsregisteret: '2020-02-29',
};

function unitOf(record: object): Unit {
  const reading = readRecord(record, ORGNR);
  if (reading.outcome !== 'found') throw new Error(JSON.stringify(reading));
  return reading.unit;
}

describe('an active record', () => {
  it('gives every fact the register states', () => {
    expect(unitOf(fullRecord(ORGNR))).toEqual({
      orgnr: ORGNR,
      name: 'FULLSTENDIG PRØVE SÆRFORETAK',
      org_form: 'SÆR',
      registered_at: '2001-02-03',
      employees: 12345,
      nace_primary: '86.101',
      email_address: 'post@fullstendig.example',
      phone_number: '00 00 10 00',
      mobile_number: '00001001',
      website_url: 'www.fullstendig.example/',
    });
  });

  it('gives "not stated" for all that may be absent', () => {
    expect(unitOf(MINIMAL)).toEqual({
      orgnr: ORGNR,
      name: 'ENE ENSOM PRØVE',
      org_form: 'ENK',
      registered_at: '2020-02-29',
      employees: 0,
      nace_primary: '00.000',
      email_address: null,
      phone_number: null,
      mobile_number: null,
      website_url: null,
    });
  });

  it('has the stated number of employees, or 0 where none is, whatever harRegistrertAntallAnsatte says', () => {
    expect(unitOf({ ...MINIMAL, harRegistrertAntallAnsatte: true }).employees).toBe(0);
    expect(unitOf({ ...MINIMAL, harRegistrertAntallAnsatte: false, antallAnsatte: 7 }).employees).toBe(7);
  });

  it.each([-1, 1.5, 2 ** 31, 1e20, null])('with the headcount %j has 0 employees', (antallAnsatte) => {
    expect(unitOf({ ...MINIMAL, antallAnsatte }).employees).toBe(0);
  });

  it.each(['62.1', '', 'X', null])('with the industry %j has none stated', (kode) => {
    expect(unitOf({ ...MINIMAL, naeringskode1: { kode } }).nace_primary).toBe('00.000');
  });

  it.each(['post @rart. example', '03080', '+47 (000) 1/2', ' x ', 'a'.repeat(300)])(
    'with the contact value %j keeps it as it is',
    (value) => {
      const record = { ...MINIMAL, epostadresse: value, telefon: value, mobil: value, hjemmeside: value };
      expect(unitOf(record)).toMatchObject({
        email_address: value,
        phone_number: value,
        mobile_number: value,
        website_url: value,
      });
    },
  );

  it.each(['', '  ', 'a\0b', 'a'.repeat(2_049), null])('with the contact value %j has none', (value) => {
    expect(unitOf({ ...MINIMAL, epostadresse: value, hjemmeside: value })).toMatchObject({
      email_address: null,
      website_url: null,
    });
  });

  it('keeps a name as it stands, up to 255 characters and never half of one', () => {
    expect(unitOf({ ...MINIMAL, navn: ' Norsk  Hydro ' }).name).toBe(' Norsk  Hydro ');
    expect(unitOf({ ...MINIMAL, navn: 'Å'.repeat(300) }).name).toBe('Å'.repeat(255));
    expect(unitOf({ ...MINIMAL, navn: `${'A'.repeat(254)}😀 AS` }).name).toBe('A'.repeat(254));
    expect(unitOf({ ...MINIMAL, navn: `${'A'.repeat(253)}😀 AS` }).name).toBe(`${'A'.repeat(253)}😀`);
    expect(unitOf({ ...MINIMAL, navn: 'A\0B\ud800C' }).name).toBe('AB\ufffdC');
  });

  it.each([
    ['no name', { navn: undefined }],
    ['a blank name', { navn: ' \0 ' }],
    ['no form', { organisasjonsform: {} }],
    ['no date', { registreringsdatoEnhetsregisteret: undefined }],
    ['a date that does not exist', { registreringsdatoEnhetsregisteret: '2023-02-29' }],
    ['a date in year 0', { registreringsdatoEnhetsregisteret: '0000-01-01' }],
    ['no number', { organisasjonsnummer: undefined }],
    ['another number', { organisasjonsnummer: '310211036' }],
  ])('with %s is unreadable', (_, fault) => {
    expect(readRecord({ ...MINIMAL, ...fault }, ORGNR).outcome).toBe('unreadable');
  });

  it.each([
    { antallAnsatte: '12' },
    { antallAnsatte: { antall: 12 } },
    { naeringskode1: '62.100' },
    { naeringskode1: { kode: 6210 } },
    { naeringskode1: { code: '62.100' } },
    { epostadresse: { adresse: 'post@prove.example' } },
    { telefon: 22_33_44_55 },
    { mobil: ['900 00 000'] },
    { hjemmeside: true },
  ])('with an optional field of another type is unreadable: %j', (fields) => {
    expect(readRecord({ ...MINIMAL, ...fields }, ORGNR)).toMatchObject({ outcome: 'unreadable' });
  });

  it('is read for any number when none was asked for', () => {
    expect(readRecord(fullRecord('310211036')).outcome).toBe('found');
  });

  it('survives being written by the stand-in and read again', () => {
    const unit = unitOf(fullRecord(ORGNR));
    expect(unitOf(recordOf(unit))).toEqual(unit);
    expect(unitOf(recordOf(unitOf(MINIMAL)))).toEqual(unitOf(MINIMAL));
  });
});

describe('the record of a dissolved unit', () => {
  const dissolved = { ...MINIMAL, registreringsdatoEnhetsregisteret: undefined, slettedato: '2024-03-09' };

  it.each([undefined, 'SlettetEnhet', 'SlettetUnderenhet', 'Enhet'])('of class %j has its date', (kind) => {
    expect(readRecord({ ...dissolved, respons_klasse: kind }, ORGNR)).toMatchObject({
      outcome: 'dissolved',
      on: '2024-03-09',
      unit: {
        orgnr: ORGNR,
        name: expect.any(String),
        org_form: dissolved.organisasjonsform.kode,
        registered_at: null,
      },
    });
  });

  it('needs nothing but its date', () => {
    const bare = { organisasjonsnummer: ORGNR, slettedato: '2024-03-09', navn: ' ', organisasjonsform: 7 };
    expect(readRecord(bare, ORGNR)).toMatchObject({
      outcome: 'dissolved',
      unit: { name: ORGNR, org_form: null, registered_at: null },
    });
  });

  it.each([null, '', '2024-13-01', undefined])('with the date %j is unreadable', (slettedato) => {
    const record = { ...dissolved, slettedato, respons_klasse: 'SlettetEnhet' };
    expect(readRecord(record, ORGNR).outcome).toBe('unreadable');
  });
});

describe('a removed record', () => {
  it('has its date if one is given', () => {
    const told = { organisasjonsnummer: ORGNR, slettedato: '2025-05-24' };
    expect(readRemoval(told, ORGNR)).toEqual({ outcome: 'removed', on: '2025-05-24' });
    expect(readRemoval({ organisasjonsnummer: ORGNR }, ORGNR)).toEqual({ outcome: 'removed', on: null });
    expect(readRemoval(undefined, ORGNR)).toEqual({ outcome: 'removed', on: null });
  });

  it('is unreadable when it is of another number, or no record', () => {
    const another = { organisasjonsnummer: '310211036', slettedato: '2025-05-24' };
    expect(readRemoval(another, ORGNR).outcome).toBe('unreadable');
    expect(readRemoval({ error: 'Gone' }, ORGNR).outcome).toBe('unreadable');
    expect(readRemoval('gone', ORGNR).outcome).toBe('unreadable');
  });
});

it('never throws, whatever the register sends', () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record({ organisasjonsnummer: fc.constant(ORGNR), navn: fc.jsonValue(), slettedato: fc.jsonValue() }),
    fc.dictionary(fc.constantFrom(...Object.keys(fullRecord(ORGNR))), fc.jsonValue()).map((changes) => ({
      ...fullRecord(ORGNR),
      ...changes,
    })),
  );
  fc.assert(
    fc.property(anything, (body) => {
      expect(readRecord(body, ORGNR)).toHaveProperty('outcome');
      expect(readRemoval(body, ORGNR)).toHaveProperty('outcome');
    }),
  );
});
