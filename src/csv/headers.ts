import type { LANGUAGES } from '../workspaces/schema.ts';

/** The language of a file's header row and of the words in its cells. */
export type Language = (typeof LANGUAGES)[number];

export type Said = Readonly<Record<Language, string>>;

/** The columns of exported lists by field, in the words of the pages. An import recognises them. */
export const COLUMN_NAMES = {
  id: { nb: 'ID', en: 'ID' },
  orgnr: { nb: 'Organisasjonsnummer', en: 'Organisation number' },
  name: { nb: 'Navn', en: 'Name' },
  org_form: { nb: 'Organisasjonsform', en: 'Organisation form' },
  status: { nb: 'Status', en: 'Status' },
  assigned_to: { nb: 'Ansvarlig-ID', en: 'Assigned to ID' },
  assigned_to_name: { nb: 'Ansvarlig', en: 'Assigned to' },
  email_address: { nb: 'E-post', en: 'Email' },
  phone_number: { nb: 'Telefon', en: 'Telephone' },
  mobile_number: { nb: 'Mobil', en: 'Mobile' },
  website_url: { nb: 'Nettsted', en: 'Website' },
  registered_at: { nb: 'Registrert', en: 'Registered' },
  employees: { nb: 'Ansatte', en: 'Employees' },
  nace_primary: { nb: 'Næringskode', en: 'Industry code' },
  is_archived: { nb: 'Arkivert', en: 'Archived' },
  other: { nb: 'Annet', en: 'Other' },
  company: { nb: 'Organisasjonsnummer', en: 'Organisation number' },
  company_name: { nb: 'Selskap', en: 'Company' },
  role: { nb: 'Rolle', en: 'Role' },
  notes: { nb: 'Notater', en: 'Notes' },
  title: { nb: 'Tittel', en: 'Title' },
  description: { nb: 'Beskrivelse', en: 'Description' },
  due_date: { nb: 'Frist', en: 'Due' },
  completed: { nb: 'Fullført', en: 'Completed' },
  user_id: { nb: 'Eier-ID', en: 'Owner ID' },
  user_name: { nb: 'Eier', en: 'Owner' },
  assignee_id: { nb: 'Ansvarlig-ID', en: 'Assigned to ID' },
  one_time_revenue: { nb: 'Engangsbeløp', en: 'One-time amount' },
  recurring_revenue: { nb: 'Løpende beløp', en: 'Recurring amount' },
  recurring_frequency: { nb: 'Hyppighet', en: 'Frequency' },
  weight: { nb: 'Vekt (%)', en: 'Weight (%)' },
  created_at: { nb: 'Opprettet', en: 'Created' },
  updated_at: { nb: 'Endret', en: 'Changed' },
} as const satisfies Record<string, Said>;

export type HeaderField = keyof typeof COLUMN_NAMES;

/** The words for fixed values in a file. */
export const CHOICES = {
  company_status: {
    lead: { nb: 'Lead', en: 'Lead' },
    prospect: { nb: 'Prospekt', en: 'Prospect' },
    customer: { nb: 'Kunde', en: 'Customer' },
    former_customer: { nb: 'Tidligere kunde', en: 'Former customer' },
    disqualified: { nb: 'Uaktuell', en: 'Disqualified' },
  },
  offer_status: {
    new: { nb: 'Ny', en: 'New' },
    sent: { nb: 'Sendt', en: 'Sent' },
    negotiating: { nb: 'I forhandling', en: 'Negotiating' },
    accepted: { nb: 'Akseptert', en: 'Accepted' },
    rejected: { nb: 'Avslått', en: 'Rejected' },
  },
  frequency: {
    monthly: { nb: 'Månedlig', en: 'Monthly' },
    quarterly: { nb: 'Kvartalsvis', en: 'Quarterly' },
    yearly: { nb: 'Årlig', en: 'Yearly' },
  },
  flag: { true: { nb: 'Ja', en: 'Yes' }, false: { nb: 'Nei', en: 'No' } },
} as const satisfies Record<string, Record<string, Said>>;
