import { sql } from 'kysely';
import { entryWithoutFields, type Subject } from '../changes/record.ts';
import { etag, insertion, insertRecorded, list, updateRecorded, type IfMatch } from '../changes/write.ts';
import { insertedColumns, patchedColumns, type PatchParameters } from '../db/columns.ts';
import { wordsOfChanged, wordsOfNew } from '../db/search.ts';
import { statement, statementBy } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import { orderedLinks, orderedVersion } from './ordered.ts';
import { storeOf, type OwnedKind } from './owned.ts';
import {
  CONTACT_CHANGEABLE,
  CONTACT_COLUMNS,
  CONTACT_CREATED,
  ERASED,
  LINK_CHANGEABLE,
  LINK_COLUMNS,
  LINK_CREATED,
  POINT_CHANGEABLE,
  POINT_COLUMNS,
  POINT_CREATED,
  type Contact,
  type ContactCreate,
  type ContactUpdate,
  type Link,
  type LinkCreate,
  type LinkUpdate,
  type Point,
  type PointCreate,
  type PointUpdate,
} from './schema.ts';
import { wordOfChangedPoint, wordOfGonePoint, wordOfNewPoint, contactWords } from './words.ts';

/** How the change log describes a contact. */
export const contactSubject: Subject = {
  resource: 'contact',
  fields: CONTACT_CHANGEABLE,
  shown: [],
  contact: sql.ref('written.id'),
};
const ofContact = sql.ref('written.contact_id');
export const points: OwnedKind = {
  table: 'contact_points',
  counter: 'point_count',
  subject: { resource: 'point', fields: POINT_CREATED, shown: [], contact: ofContact },
  returned: POINT_COLUMNS,
  added: [wordOfNewPoint],
  changed: wordOfChangedPoint,
  removed: (tenant) => [wordOfGonePoint(tenant)],
};
export const links: OwnedKind = {
  table: 'contact_companies',
  counter: 'link_count',
  subject: { resource: 'link', fields: LINK_CREATED, shown: ['company_id'], contact: ofContact },
  returned: LINK_COLUMNS,
};

const returned = [...CONTACT_COLUMNS, etag];

export type StoredContact = Contact & { etag: string };

export const findContact = statement(
  'find contact',
  (p: { tenant: string; id: string }) => sql<StoredContact>`
    select ${list(returned)} from contacts
    where tenant_id = ${p.tenant} and id = ${p.id} and erased_at is null`,
);

/** Returns no row when the workspace has used the id, also for an erased contact. */
export const insertContact = statement('insert contact', (p: Required<ContactCreate> & Change) =>
  insertRecorded<StoredContact>(p, {
    insert: insertion('contacts', p.tenant, insertedColumns(CONTACT_CREATED, p)),
    subject: contactSubject,
    returned,
    also: [wordsOfNew(contactWords)],
  }),
);

export const updateContact = statementBy(
  'has_name',
  'update contact',
  (p: PatchParameters<Required<ContactUpdate>> & Change & IfMatch & { id: string }, isRenamed) =>
    updateRecorded<StoredContact>(p, {
      table: 'contacts',
      key: sql`id = ${p.id} and erased_at is null`,
      set: patchedColumns(CONTACT_CHANGEABLE, p),
      subject: contactSubject,
      silently: { ordered_version: orderedVersion({ tenant: p.tenant, contact: p.id }) },
      returned,
      also: [orderedLinks(p.tenant, 'written'), ...(isRenamed ? wordsOfChanged(contactWords, p.tenant) : [])],
    }),
);

export const pointStore = storeOf<Point, PointCreate, PointUpdate>(points, POINT_CREATED, POINT_CHANGEABLE);

export const linkStore = storeOf<Link, LinkCreate, LinkUpdate>(links, LINK_CREATED, LINK_CHANGEABLE);

/** The contact that this one was merged into. */
export const findMergedInto = statement(
  'find merged into',
  (p: { tenant: string; id: string }) => sql<{ merged_into: string }>`
    select merged_into from contacts
    where tenant_id = ${p.tenant} and id = ${p.id} and merged_into is not null`,
);

export const countContacts = statement(
  'count contacts',
  (p: { tenant: string; most: number }) => sql<{ count: number }>`
    select count(*)::integer as count from (
      select from contacts where tenant_id = ${p.tenant} and erased_at is null limit ${p.most}) as counted`,
);

/** Locked until the transaction ends, so that nothing is added to a contact that is being erased. */
export const lockContact = statement(
  'lock contact',
  (p: { tenant: string; id: string }) => sql<{ etag: string }>`
    select ${list([etag])} from contacts
    where tenant_id = ${p.tenant} and id = ${p.id} and erased_at is null for update`,
);

/** The `set` of an update that removes the person from a contact. */
export const withoutPerson = sql.join(
  Object.entries(ERASED).map(([column, value]) => sql`${sql.ref(column)} = ${sql.lit(value)}`),
);

/**
 * Removes a locked contact for good, with its details, links, remembered answers and the values that imports
 * replaced. The row stays without the person, so that its id is not used again. A separate statement, so that it sees
 * what was added before the lock.
 */
export const eraseContact = statement(
  'erase contact',
  (p: Change & { id: string }) => sql<{ id: string }>`with
    points as (delete from contact_points where tenant_id = ${p.tenant} and contact_id = ${p.id}),
    links as (delete from contact_companies where tenant_id = ${p.tenant} and contact_id = ${p.id}),
    words as (delete from contact_words where tenant_id = ${p.tenant} and contact_id = ${p.id}),
    imported as (
      update import_rows set before = null where tenant_id = ${p.tenant} and resource_id = ${p.id}
        and import_id in (select id from imports where tenant_id = ${p.tenant} and resource = 'contact')),
    answers as (
      update remembered_answers set fingerprint = null, body = null
      where tenant_id = ${p.tenant} and contact_id = ${p.id}),
    written as (
      update contacts set ${withoutPerson}, point_count = 0, link_count = 0,
        version = version + 1, updated_at = now(), erased_at = now()
      where tenant_id = ${p.tenant} and id = ${p.id}
      returning *),
    ${entryWithoutFields(contactSubject, p, 'erased', 'written')}
    select id from written`,
);
