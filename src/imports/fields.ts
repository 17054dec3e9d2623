import { COLUMN_NAMES, type HeaderField } from '../csv/headers.ts';

/** The resources that can be imported, each with the fields that a column can hold. */
export const FIELDS = {
  company: [
    'id',
    'orgnr',
    'status',
    'assigned_to',
    'email_address',
    'phone_number',
    'mobile_number',
    'website_url',
  ],
  contact: ['id', 'name', 'email', 'mobile', 'telephone', 'other', 'company', 'role', 'notes'],
  offer: [
    'id',
    'title',
    'description',
    'company',
    'user_id',
    'status',
    'one_time_revenue',
    'recurring_revenue',
    'recurring_frequency',
    'weight',
  ],
} as const;

export const IMPORTED = ['company', 'contact', 'offer'] as const;
export type Imported = (typeof IMPORTED)[number];
type Field = (typeof FIELDS)[Imported][number];

/** A file needs a column of each group, to find a row's resource or to create it. */
export const NEEDED: Record<Imported, readonly (readonly Field[])[]> = {
  company: [['orgnr', 'id']],
  contact: [['name', 'id', 'email']],
  offer: [
    ['title', 'id'],
    ['company', 'id'],
  ],
};

/** Headers of our own exports, the most reliable first. */
const OWN: Partial<Record<Field, readonly HeaderField[]>> = {
  email: ['email_address'],
  mobile: ['mobile_number'],
  telephone: ['phone_number'],
  assigned_to: ['assigned_to', 'assigned_to_name'],
  user_id: ['user_id', 'user_name'],
};

/** Headers of other programs, of the page of imports and of earlier exports, as `folded` returns them. */
const OTHERS: Partial<Record<Field, readonly string[]>> = {
  id: ['uuid', 'crmid', 'kundebokid'],
  orgnr: ['orgno', 'orgnummer', 'organizationnumber', 'foretaksnummer'],
  company: [
    'selskaporganisasjonsnummer',
    'companyorganisationnumber',
    'orgnr',
    'orgno',
    'orgnummer',
    'organizationnumber',
    'companynumber',
    'selskapsnummer',
  ],
  assigned_to: ['ansvarligepost', 'kundeansvarlig', 'selger', 'accountmanager', 'owner', 'eier', 'salesrep'],
  user_id: ['eierepost', 'selger', 'ansvarlig', 'assignedto', 'dealowner', 'salesrep', 'owneremail'],
  email_address: ['epostadresse', 'mail', 'firmapost'],
  email: ['epostadresse', 'emailaddress', 'mail', 'primaryemail', 'email1', 'epost1'],
  phone_number: ['tlf', 'telefonnummer', 'phone', 'sentralbord', 'telephonenumber'],
  telephone: ['tlf', 'telefonnummer', 'phone', 'phonenumber', 'telephonenumber', 'businessphone', 'direkte'],
  mobile_number: ['mobiltelefon', 'mobilnummer', 'mobilephone', 'cellphone', 'mob'],
  mobile: ['mobiltelefon', 'mobilnummer', 'mobilephone', 'mobilenumber', 'cellphone', 'cell', 'mob'],
  website_url: ['hjemmeside', 'nettside', 'web', 'url', 'homepage', 'www', 'domene'],
  name: [
    'fulltnavn',
    'fullname',
    'kontaktperson',
    'kontakt',
    'contact',
    'contactname',
    'displayname',
    'person',
  ],
  other: ['annetmerkelappverdi', 'otherlabelvalue'],
  role: ['stilling', 'tittel', 'title', 'jobtitle', 'position', 'funksjon'],
  notes: ['merknader', 'merknad', 'notat', 'kommentar', 'kommentarer', 'note', 'comment', 'comments'],
  title: ['tilbud', 'navn', 'name', 'dealname', 'deal', 'offer', 'opportunity', 'emne', 'subject'],
  description: ['kommentar', 'notat', 'notes', 'details', 'detaljer'],
  status: ['fase', 'stage', 'dealstage', 'tilstand', 'state', 'kundestatus'],
  one_time_revenue: ['belop', 'sum', 'verdi', 'amount', 'value', 'pris', 'price', 'engangs', 'onetime'],
  recurring_revenue: [
    'gjentakendebelop',
    'gjentakende',
    'recurring',
    'abonnement',
    'mrr',
    'manedlig',
    'lopende',
  ],
  recurring_frequency: ['periode', 'period', 'frekvens', 'intervall', 'interval', 'billingperiod'],
  weight: ['sannsynlighet', 'probability', 'sannsynlighetprosent'],
};

/**
 * Guesses the field of each column by its header, or else by its cells. No field is assigned twice.
 * @param rows the first ones of the file, the header first
 */
export function guessColumns(resource: Imported, rows: readonly (readonly string[])[]): (string | null)[] {
  const [header = [], ...samples] = rows;
  const guessed: (string | null)[] = header.map(() => null);
  const take = (field: string, index = -1) => {
    if (index >= 0 && !guessed.includes(field)) guessed[index] = field;
  };
  const names = header.map(folded);
  const placeOf = (name: string) => names.findIndex((other, at) => other === name && guessed[at] === null);
  for (const field of FIELDS[resource]) {
    const known = [...ownHeaders(field), ...(OTHERS[field] ?? [])];
    const index = known.map(placeOf).find((place) => place >= 0);
    take(field, index);
  }
  for (const [field, pattern] of PATTERNS[resource]) {
    const index = header.findIndex((_, at) => {
      const cells = samples.map((row) => row[at]?.trim() ?? '');
      const filled = cells.filter((cell) => cell !== '');
      return (
        guessed[at] === null &&
        filled.length > 0 &&
        filled.every((cell) => cell.length <= MAX_LENGTH && pattern.test(cell))
      );
    });
    take(field, index);
  }
  return guessed;
}

/** Longer cells are not examined. */
const MAX_LENGTH = 300;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** An organisation number; those of the sandbox begin with 3. */
const ORGNR = /^(?:NO\s?)?[389]\d{2}\s?\d{3}\s?\d{3}(?:\s?MVA)?$/i;
const MOBILE = /^'?(?:\+47|0047)?\s?[49]\d{2}\s?\d{2}\s?\d{3}$/;

const PATTERNS: Record<Imported, readonly (readonly [string, RegExp])[]> = {
  company: [
    ['orgnr', ORGNR],
    ['email_address', EMAIL],
  ],
  contact: [
    ['email', EMAIL],
    ['company', ORGNR],
    ['mobile', MOBILE],
  ],
  offer: [
    ['company', ORGNR],
    ['user_id', EMAIL],
  ],
};

function ownHeaders(field: Field): string[] {
  const own = OWN[field] ?? (field in COLUMN_NAMES ? [field as HeaderField] : []);
  return own.flatMap((name) => [folded(COLUMN_NAMES[name].nb), folded(COLUMN_NAMES[name].en), folded(field)]);
}

/** The text without differences in case, spaces, hyphens and Norwegian letters. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]/g, '');
}
