import type { Company } from '../companies/schema.ts';
import type { Contact, Link, Point } from '../contacts/schema.ts';
import type { Offer } from '../offers/schema.ts';
import type { Task } from '../tasks/schema.ts';
import { CHOICES, type HeaderField, type Language } from './headers.ts';

/** What cells need in addition to their row. */
export type CellContext = {
  language: Language;
  timeZone: string;
  people: ReadonlyMap<string, string>;
  companies: ReadonlyMap<string, { orgnr: string; name: string }>;
};

type Cell<Row> = (row: Row, context: CellContext) => string;

/** One list as a file: its name, its columns in order, and the people and companies that a row refers to. */
export type Sheet<Row> = {
  name: 'companies' | 'contacts' | 'tasks' | 'offers';
  /** Parameters that each page is read with. */
  more?: Record<string, string>;
  columns: readonly (readonly [HeaderField, Cell<Row>])[];
  people: (row: Row) => readonly (string | null)[];
  companies: (row: Row) => readonly (string | null)[];
};

type ContactRow = Contact & { points?: Point[]; links?: Link[] };

export const companySheet: Sheet<Company> = {
  name: 'companies',
  people: (row) => [row.assigned_to],
  companies: () => [],
  columns: [
    ...plain('id', 'orgnr', 'name', 'org_form'),
    ['status', (row, { language }) => CHOICES.company_status[row.status][language]],
    ['assigned_to_name', (row, context) => personIn(context, row.assigned_to)],
    ...plain('assigned_to', 'email_address', 'phone_number', 'mobile_number', 'website_url'),
    ...plain('registered_at', 'employees', 'nace_primary'),
    ['is_archived', (row, { language }) => yesOrNo(row.is_archived, language)],
  ],
};

export const contactSheet: Sheet<ContactRow> = {
  name: 'contacts',
  more: { include: 'points,links' },
  people: () => [],
  companies: (row) => (row.links ?? []).map((link) => link.company_id),
  columns: [
    ...plain('id', 'name'),
    ['email_address', (row) => pointsOf(row, 'email')],
    ['mobile_number', (row) => pointsOf(row, 'mobile')],
    ['phone_number', (row) => pointsOf(row, 'telephone')],
    ['other', (row) => pointsOf(row, 'other')],
    [
      'company',
      (row, context) => ofLinks(row, (link) => context.companies.get(link.company_id)?.orgnr ?? ''),
    ],
    [
      'company_name',
      (row, context) => ofLinks(row, (link) => context.companies.get(link.company_id)?.name ?? ''),
    ],
    ['role', (row) => ofLinks(row, (link) => oneLine(link.role ?? ''))],
    ...plain('notes'),
    ['created_at', (row, context) => dateAndTime(row.created_at, context)],
  ],
};

export const taskSheet: Sheet<Task> = {
  name: 'tasks',
  people: (row) => [row.user_id],
  companies: (row) => [row.related_company_id],
  columns: [
    ...plain('id', 'title', 'description'),
    [
      'due_date',
      (row, context) =>
        row.has_time_specified
          ? dateAndTime(row.due_date, context)
          : dateAndTime(row.due_date, context).slice(0, 10),
    ],
    ['completed', (row, { language }) => yesOrNo(row.completed, language)],
    ['assigned_to_name', (row, context) => personIn(context, row.user_id)],
    ['assignee_id', (row) => row.user_id],
    ['company', (row, context) => context.companies.get(row.related_company_id ?? '')?.orgnr ?? ''],
    ['company_name', (row, context) => context.companies.get(row.related_company_id ?? '')?.name ?? ''],
    ['created_at', (row, context) => dateAndTime(row.created_at, context)],
    ['updated_at', (row, context) => dateAndTime(`${row.updated_at}Z`, context)],
  ],
};

export const offerSheet: Sheet<Offer> = {
  name: 'offers',
  people: (row) => [row.user_id],
  companies: (row) => [row.company_id],
  columns: [
    ...plain('id', 'title', 'description'),
    ['status', (row, { language }) => CHOICES.offer_status[row.status][language]],
    ['company', (row, context) => context.companies.get(row.company_id)?.orgnr ?? ''],
    ['company_name', (row, context) => context.companies.get(row.company_id)?.name ?? ''],
    ...plain('one_time_revenue', 'recurring_revenue'),
    ['recurring_frequency', (row, { language }) => CHOICES.frequency[row.recurring_frequency][language]],
    ...plain('weight'),
    ['user_name', (row, context) => personIn(context, row.user_id)],
    ...plain('user_id'),
    ['created_at', (row, context) => dateAndTime(row.created_at, context)],
  ],
};

/** Columns whose cells are the values of these fields. */
function plain<Field extends HeaderField>(...fields: Field[]) {
  type Row = Readonly<Record<Field, string | number | null>>;
  return fields.map((field) => [field, (row: Row) => String(row[field] ?? '')] as const);
}

/** The line of a contact detail in its cell. An import compares cells with it. */
export function pointText({ type, label, value }: Pick<Point, 'type' | 'label' | 'value'>): string {
  return oneLine(type === 'other' ? `${label}: ${value}` : value);
}

/** Puts a value on one line: in a cell of several values, each has a line. */
export function oneLine(value: string): string {
  return value.trim().replaceAll(/\s+/g, ' ');
}

function pointsOf(row: ContactRow, type: Point['type']): string {
  const those = (row.points ?? []).filter((point) => point.type === type);
  return those.map(pointText).join('\n');
}

function ofLinks(row: ContactRow, text: (link: Link) => string): string {
  const lines = (row.links ?? []).map(text);
  return lines.some((line) => line !== '') ? lines.join('\n') : '';
}

function personIn({ people }: CellContext, id: string | null): string {
  return people.get(id ?? '') ?? '';
}

export function yesOrNo(value: boolean, language: Language): string {
  return CHOICES.flag[value ? 'true' : 'false'][language];
}

/** `2026-01-15 09:00`, which Excel reads as a date in every language. */
export function dateAndTime(
  instant: string,
  { timeZone }: Pick<CellContext, 'timeZone'>,
  smallestUnit: 'minute' | 'second' = 'minute',
): string {
  const local = Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit }).replace('T', ' ');
}
