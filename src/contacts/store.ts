import { sql, type RawBuilder } from 'kysely';
import { entryOfCreation, type Subject } from '../changes/record.ts';
import { etag, insertion, insertRecorded, updateRecorded, type IfMatch } from '../changes/write.ts';
import { insertedColumns, patchedColumns, type PatchParameters } from '../db/columns.ts';
import { wordsOfChanged, wordsOfNew } from '../db/search.ts';
import { builder, statement } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import {
  CONTACT_CHANGEABLE,
  CONTACT_COLUMNS,
  CONTACT_CREATED,
  LINK_COLUMNS,
  LINK_CREATED,
  POINT_COLUMNS,
  POINT_CREATED,
  type Contact,
  type ContactCreate,
  type ContactsTable,
  type ContactUpdate,
  type Link,
  type LinkCreate,
  type LinksTable,
  type Point,
  type PointCreate,
  type PointsTable,
} from './schema.ts';
import { wordOfNewPoint, words } from './words.ts';

const query = builder<{
  contacts: ContactsTable;
  contact_points: PointsTable;
  contact_companies: LinksTable;
}>();

const contact: Subject = {
  resource: 'contact',
  fields: CONTACT_CHANGEABLE,
  shown: [],
  contact: sql.ref('written.id'),
};
const ofContact = sql.ref('written.contact_id');
const point: Subject = { resource: 'point', fields: POINT_CREATED, shown: [], contact: ofContact };
const link: Subject = { resource: 'link', fields: LINK_CREATED, shown: ['company_id'], contact: ofContact };

const returned = [...CONTACT_COLUMNS, etag];

export type StoredContact = Contact & { etag: string };

export const findContact = statement('find contact', (p: { tenant: string; id: string }) =>
  query
    .selectFrom('contacts')
    .where('tenant_id', '=', p.tenant)
    .where('id', '=', p.id)
    .where('erased_at', 'is', null)
    .select(CONTACT_COLUMNS)
    .select(etag),
);

/** Nothing comes back when the workspace has used the id, for a contact that was erased too. */
export const insertContact = statement('insert contact', (p: Required<ContactCreate> & Change) =>
  insertRecorded<StoredContact>(p, {
    insert: insertion('contacts', p.tenant, insertedColumns(CONTACT_CREATED, p)),
    subject: contact,
    returned,
    also: [wordsOfNew(words)],
  }),
);

export const updateContact = statement(
  'update contact',
  (p: PatchParameters<Required<ContactUpdate>> & Change & IfMatch & { id: string }) =>
    updateRecorded<StoredContact>(p, {
      table: 'contacts',
      key: sql`id = ${p.id} and erased_at is null`,
      set: patchedColumns(CONTACT_CHANGEABLE, p),
      subject: contact,
      returned,
      also: wordsOfChanged(words),
    }),
);

type Owned = Change & { contact: string; limit: number };

/** Nothing comes back when there is no such contact, or it has `limit` details. */
export const insertPoint = statement('insert point', (p: Required<PointCreate> & Owned) =>
  insertOwned<Point>(p, {
    table: 'contact_points',
    counter: 'point_count',
    columns: insertedColumns(POINT_CREATED, p),
    subject: point,
    returned: POINT_COLUMNS,
    also: [wordOfNewPoint],
  }),
);

export const listPoints = statement('list points', (p: { tenant: string; contact: string }) =>
  query
    .selectFrom('contact_points')
    .where('tenant_id', '=', p.tenant)
    .where('contact_id', '=', p.contact)
    .select(POINT_COLUMNS)
    .orderBy('id'),
);

/** Of several contacts, each in order. */
export const listPointsOf = statement(
  'list points of',
  (p: { tenant: string; contacts: readonly string[] }) =>
    query
      .selectFrom('contact_points')
      .where('tenant_id', '=', p.tenant)
      .where('contact_id', '=', sql<string>`any(${p.contacts}::uuid[])`)
      .select('contact_id')
      .select(POINT_COLUMNS)
      .orderBy('id'),
);

export const listLinksOf = statement('list links of', (p: { tenant: string; contacts: readonly string[] }) =>
  query
    .selectFrom('contact_companies')
    .where('tenant_id', '=', p.tenant)
    .where('contact_id', '=', sql<string>`any(${p.contacts}::uuid[])`)
    .select('contact_id')
    .select(LINK_COLUMNS)
    .orderBy('id'),
);

/** Nothing comes back when there is no such contact, or it has `limit` links. */
export const insertLink = statement('insert link', (p: Required<LinkCreate> & Owned) =>
  insertOwned<Link>(p, {
    table: 'contact_companies',
    counter: 'link_count',
    columns: insertedColumns(LINK_CREATED, p),
    subject: link,
    returned: LINK_COLUMNS,
  }),
);

export const listLinks = statement('list links', (p: { tenant: string; contact: string }) =>
  query
    .selectFrom('contact_companies')
    .where('tenant_id', '=', p.tenant)
    .where('contact_id', '=', p.contact)
    .select(LINK_COLUMNS)
    .orderBy('id'),
);

/** Adds a detail or link to a contact; it changes the contact, whose row counts it under its lock. */
function insertOwned<Row>(
  p: Owned,
  what: {
    table: string;
    counter: 'point_count' | 'link_count';
    columns: Readonly<Record<string, RawBuilder<unknown>>>;
    subject: Subject;
    returned: readonly string[];
    also?: readonly RawBuilder<unknown>[];
  },
): RawBuilder<Row> {
  const counter = sql.ref(what.counter);
  const names = Object.keys(what.columns).map((column) => sql.ref(column));
  return sql<Row>`with counted as (
      update contacts set ${counter} = ${counter} + 1, version = version + 1, updated_at = now()
      where tenant_id = ${p.tenant} and id = ${p.contact} and erased_at is null and ${counter} < ${p.limit}
      returning tenant_id, id),
    written as (
      insert into ${sql.table(what.table)} (tenant_id, contact_id, ${sql.join(names)})
      select tenant_id, id, ${sql.join(Object.values(what.columns))} from counted
      returning *),
    ${sql.join([entryOfCreation(what.subject, p), ...(what.also ?? [])])}
    select ${sql.join(what.returned.map((column) => sql.ref(column)))} from written`;
}
