import type { ACTIONS, ACTORS, Resource } from '../changes/schema.ts';
import type { Said } from './headers.ts';

/** The columns of the history, in order. */
export const HISTORY_HEADERS = {
  at: { nb: 'Når', en: 'When' },
  who: { nb: 'Hvem', en: 'Who' },
  who_kind: { nb: 'Hvem (type)', en: 'Who (kind)' },
  who_id: { nb: 'Hvem-ID', en: 'Who ID' },
  action: { nb: 'Handling', en: 'Action' },
  resource: { nb: 'Type', en: 'Kind' },
  what: { nb: 'Hva', en: 'What' },
  resource_id: { nb: 'ID', en: 'ID' },
  orgnr: { nb: 'Organisasjonsnummer', en: 'Organisation number' },
  fields: { nb: 'Felt', en: 'Fields' },
  values: { nb: 'Verdier', en: 'Values' },
  request_id: { nb: 'Forespørsel', en: 'Request' },
} as const satisfies Record<string, Said>;

type Words = {
  action: Record<(typeof ACTIONS)[number], Said>;
  resource: Record<Resource, Said>;
  actor: Record<(typeof ACTORS)[number], Said>;
  field: Record<string, Said | undefined>;
};

/** What an entry of the history says, in the words of its page. */
export const HISTORY_WORDS: Words = {
  action: {
    created: { nb: 'opprettet', en: 'created' },
    updated: { nb: 'endret', en: 'changed' },
    archived: { nb: 'arkivert', en: 'archived' },
    unarchived: { nb: 'hentet fra arkivet', en: 'unarchived' },
    deleted: { nb: 'slettet', en: 'deleted' },
    restored: { nb: 'gjenopprettet', en: 'restored' },
    erased: { nb: 'slettet for godt', en: 'erased' },
  },
  resource: {
    company: { nb: 'Selskap', en: 'Company' },
    note: { nb: 'Notat', en: 'Note' },
    contact: { nb: 'Kontakt', en: 'Contact' },
    point: { nb: 'Kontaktopplysning', en: 'Contact detail' },
    link: { nb: 'Tilknytning', en: 'Company link' },
    task: { nb: 'Oppgave', en: 'Task' },
    offer: { nb: 'Tilbud', en: 'Offer' },
  },
  actor: {
    key: { nb: 'API-nøkkel', en: 'API key' },
    user: { nb: 'Person', en: 'Person' },
    register: { nb: 'Registeret', en: 'The register' },
    command: { nb: 'Kommandolinjen', en: 'The command line' },
  },
  field: {
    status: { nb: 'status', en: 'status' },
    assigned_to: { nb: 'ansvarlig', en: 'assigned to' },
    user_id: { nb: 'eier', en: 'owner' },
    company_id: { nb: 'selskap', en: 'company' },
    related_company_id: { nb: 'selskap', en: 'company' },
    completed: { nb: 'fullført', en: 'done' },
    due_date: { nb: 'frist', en: 'due' },
    has_time_specified: { nb: 'klokkeslett', en: 'time of day' },
    weight: { nb: 'vekt', en: 'weight' },
    one_time_revenue: { nb: 'engangsbeløp', en: 'one-time amount' },
    recurring_revenue: { nb: 'løpende beløp', en: 'recurring amount' },
    recurring_frequency: { nb: 'hyppighet', en: 'frequency' },
    is_archived: { nb: 'arkivert', en: 'archived' },
    is_deleted: { nb: 'slettet', en: 'deleted' },
    title: { nb: 'tittel', en: 'title' },
    description: { nb: 'beskrivelse', en: 'description' },
    name: { nb: 'navn', en: 'name' },
    notes: { nb: 'notater', en: 'notes' },
    content: { nb: 'innhold', en: 'content' },
    type: { nb: 'type', en: 'type' },
    label: { nb: 'merkelapp', en: 'label' },
    value: { nb: 'verdi', en: 'value' },
    role: { nb: 'rolle', en: 'role' },
    email_address: { nb: 'e-post', en: 'email' },
    phone_number: { nb: 'telefon', en: 'telephone' },
    mobile_number: { nb: 'mobil', en: 'mobile' },
    website_url: { nb: 'nettsted', en: 'website' },
    employees: { nb: 'ansatte', en: 'employees' },
    nace_primary: { nb: 'næringskode', en: 'industry code' },
    org_form: { nb: 'organisasjonsform', en: 'organisation form' },
    registered_at: { nb: 'registrert', en: 'registered' },
    dissolved_on: { nb: 'oppløst', en: 'dissolved' },
    source: { nb: 'kilde', en: 'source' },
    orgnr: { nb: 'organisasjonsnummer', en: 'organisation number' },
    contact_id: { nb: 'kontakt', en: 'contact' },
    merged_into: { nb: 'slått sammen med en annen kontakt', en: 'merged into another contact' },
  },
};
