import { sql } from 'kysely';
import { insertedColumns, patchedColumns, selectedParameters, type PatchParameters } from '../db/columns.ts';
import { builder, statement } from '../db/statement.ts';
import {
  CONTACT_CHANGEABLE,
  CONTACT_COLUMNS,
  CONTACT_CREATED,
  LINK_COLUMNS,
  LINK_CREATED,
  POINT_COLUMNS,
  POINT_CREATED,
  type ContactCreate,
  type ContactsTable,
  type ContactUpdate,
  type LinkCreate,
  type LinksTable,
  type PointCreate,
  type PointsTable,
} from './schema.ts';

const query = builder<{
  contacts: ContactsTable;
  contact_points: PointsTable;
  contact_companies: LinksTable;
}>();

export const findContact = statement('find contact', (p: { tenant: string; id: string }) =>
  query
    .selectFrom('contacts')
    .where('tenant_id', '=', p.tenant)
    .where('id', '=', p.id)
    .select(CONTACT_COLUMNS),
);

/** Nothing comes back when the workspace has used the id. */
export const insertContact = statement('insert contact', (p: Required<ContactCreate> & { tenant: string }) =>
  query
    .insertInto('contacts')
    .values({ ...insertedColumns(CONTACT_CREATED, p), tenant_id: p.tenant })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doNothing())
    .returning(CONTACT_COLUMNS),
);

export const updateContact = statement(
  'update contact',
  (p: PatchParameters<Required<ContactUpdate>> & { tenant: string; id: string }) =>
    query
      .updateTable('contacts')
      .set({ ...patchedColumns(CONTACT_CHANGEABLE, p), updated_at: sql`now()` })
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id)
      .returning(CONTACT_COLUMNS),
);

/** Counts one more detail or link on a contact; no row comes back when there is no contact, or no room. */
function countOn(
  counter: 'point_count' | 'link_count',
  p: { tenant: string; contact: string; limit: number },
) {
  return query
    .updateTable('contacts')
    .set({ [counter]: sql`${sql.ref(counter)} + 1` })
    .where('tenant_id', '=', p.tenant)
    .where('id', '=', p.contact)
    .where(counter, '<', p.limit)
    .returning(['tenant_id', 'id']);
}

/** Nothing comes back when there is no such contact, or it has `limit` details. */
export const insertPoint = statement(
  'insert point',
  (p: Required<PointCreate> & { tenant: string; contact: string; limit: number }) =>
    query
      .with('counted', () => countOn('point_count', p))
      .insertInto('contact_points')
      .columns(['tenant_id', 'contact_id', ...POINT_CREATED])
      .expression((eb) =>
        eb.selectFrom('counted').select(['tenant_id', 'id']).select(selectedParameters(POINT_CREATED, p)),
      )
      .returning(POINT_COLUMNS),
);

export const listPoints = statement('list points', (p: { tenant: string; contact: string }) =>
  query
    .selectFrom('contact_points')
    .where('tenant_id', '=', p.tenant)
    .where('contact_id', '=', p.contact)
    .select(POINT_COLUMNS)
    .orderBy('id'),
);

/** Nothing comes back when there is no such contact, or it has `limit` links. */
export const insertLink = statement(
  'insert link',
  (p: Required<LinkCreate> & { tenant: string; contact: string; limit: number }) =>
    query
      .with('counted', () => countOn('link_count', p))
      .insertInto('contact_companies')
      .columns(['tenant_id', 'contact_id', ...LINK_CREATED])
      .expression((eb) =>
        eb.selectFrom('counted').select(['tenant_id', 'id']).select(selectedParameters(LINK_CREATED, p)),
      )
      .returning(LINK_COLUMNS),
);

export const listLinks = statement('list links', (p: { tenant: string; contact: string }) =>
  query
    .selectFrom('contact_companies')
    .where('tenant_id', '=', p.tenant)
    .where('contact_id', '=', p.contact)
    .select(LINK_COLUMNS)
    .orderBy('id'),
);
