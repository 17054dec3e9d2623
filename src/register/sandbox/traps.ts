import { dissolvedAnswer, NOT_STATED, type RegisterAnswer, type Unit } from '../register.ts';

/** What the look-up of a trap number does: answer, answer late, or fail. */
type Trap = RegisterAnswer | { outcome: 'slow'; unit: Unit } | { outcome: 'unavailable' };

/**
 * Numbers that always have the same outcome. All begin with 3, as no number of a real unit does. Most end in six equal
 * digits: 444444 is no longer or never was in the register, 555555 is a failing or slow register, any other is found.
 */
export const TRAPS: ReadonlyMap<string, Trap> = new Map<string, Trap>([
  found({
    orgnr: '333333333',
    name: 'ALMINNELIG PRØVE AS',
    registered_at: '2015-06-01',
    employees: 12,
    nace_primary: '62.100',
    email_address: 'post@alminnelig.example',
    phone_number: '00 00 33 33',
    mobile_number: '000 33 333',
    website_url: 'www.alminnelig.example',
  }),
  found({ orgnr: '305000000', name: 'FÅTALLIG PRØVE AS', nace_primary: '43.221' }),
  found({ orgnr: '310000000', name: 'UOPPGITT PRØVE AS', employees: 7 }),
  found({
    orgnr: '336222222',
    name: 'RARE KONTAKTER PRØVE AS',
    nace_primary: '47.110',
    email_address: 'post@rare-kontakter. example',
    phone_number: '03080',
    mobile_number: '+47 (000) 22 222 / 23',
    website_url: 'rare-kontakter.example/om oss',
  }),
  found({ orgnr: '300999999', name: longName(), nace_primary: '94.910' }),
  found({
    orgnr: '311777777',
    name: 'ALMINNELIG PRØVE AS AVD BODØ',
    org_form: 'BEDR',
    employees: 6,
    nace_primary: '62.100',
  }),
  found({ orgnr: '318111111', name: 'ENE ENSOM PRØVE', org_form: 'ENK' }),
  found({ orgnr: '310211036', name: 'FØRSTE SYNTETISKE AS', employees: 25, nace_primary: '70.200' }),
  found({ orgnr: '310438707', name: 'ANDRE SYNTETISKE AS', employees: 140, nace_primary: '41.000' }),

  [
    '304444444',
    dissolvedAnswer({ orgnr: '304444444', name: 'SLETTET PRØVE AS', org_form: 'AS' }, '2024-03-09'),
  ],
  ['330444444', { outcome: 'removed', on: '2025-05-24' }],
  ['346444444', { outcome: 'removed', on: null }],
  ['388444444', { outcome: 'unknown' }],

  ['338555555', { outcome: 'unavailable' }],
  ['343555555', { outcome: 'slow', unit: plain({ orgnr: '343555555', name: 'SENDREKTIG PRØVE AS' }) }],
]);

function found(facts: Facts): [string, Trap] {
  return [facts.orgnr, { outcome: 'found', unit: plain(facts) }];
}

type Facts = Partial<Unit> & Pick<Unit, 'orgnr' | 'name'>;

/** A unit with these facts. For the rest, a limited company of which the register states only what is required. */
function plain(facts: Facts): Unit {
  return { ...NOT_STATED, org_form: 'AS', registered_at: '2020-02-29', ...facts };
}

/** A name of more than 255 characters, cut to 255 like the names that come from the national register. */
function longName(): string {
  return 'FORENINGEN FOR SÆRDELES LANGE NAVN PÅ ØY OG I FJELL, '.repeat(6).slice(0, 255);
}
