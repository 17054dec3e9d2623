import { sql } from 'kysely';
import { patchedColumns, type PatchParameters } from '../db/patch.ts';
import { builder, statement } from '../db/statement.ts';
import {
  CONTACT_CHANGEABLE,
  CONTACT_COLUMNS,
  LINK_COLUMNS,
  POINT_COLUMNS,
  type ContactsTable,
  type ContactUpdate,
  type LinksTable,
  type Point,
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
export const insertContact = statement(
  'insert contact',
  (p: { tenant: string; id: string; name: string; notes: string }) =>
    query
      .insertInto('contacts')
      .values({ tenant_id: p.tenant, id: p.id, name: p.name, notes: p.notes })
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
  (p: {
    tenant: string;
    contact: string;
    type: Point['type'];
    label: string;
    value: string;
    limit: number;
  }) =>
    query
      .with('counted', () => countOn('point_count', p))
      .insertInto('contact_points')
      .columns(['tenant_id', 'contact_id', 'type', 'label', 'value'])
      .expression((eb) =>
        eb
          .selectFrom('counted')
          .select([
            'tenant_id',
            'id',
            sql<Point['type']>`${p.type}::text`.as('type'),
            sql<string>`${p.label}::text`.as('label'),
            sql<string>`${p.value}::text`.as('value'),
          ]),
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
  (p: { tenant: string; contact: string; company_id: string; role: string | null; limit: number }) =>
    query
      .with('counted', () => countOn('link_count', p))
      .insertInto('contact_companies')
      .columns(['tenant_id', 'contact_id', 'company_id', 'role'])
      .expression((eb) =>
        eb
          .selectFrom('counted')
          .select([
            'tenant_id',
            'id',
            sql<string>`${p.company_id}::uuid`.as('company_id'),
            sql<string | null>`${p.role}::text`.as('role'),
          ]),
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
