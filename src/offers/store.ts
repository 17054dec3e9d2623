import { sql, type SqlBool } from 'kysely';
import { insertedColumns, patchedColumn, patchedColumns, type PatchParameters } from '../db/columns.ts';
import { builder, statement } from '../db/statement.ts';
import {
  OFFER_CHANGEABLE,
  OFFER_COLUMNS,
  OFFER_CREATED,
  type OfferCreate,
  type OffersTable,
  type OfferUpdate,
} from './schema.ts';

const query = builder<{ offers: OffersTable }>();

export const findOffer = statement('find offer', (p: { tenant: string; id: string }) =>
  query.selectFrom('offers').where('tenant_id', '=', p.tenant).where('id', '=', p.id).select(OFFER_COLUMNS),
);

/** Nothing comes back when the workspace has used the id. An accepted offer gets weight 100. */
export const insertOffer = statement('insert offer', (p: Required<OfferCreate> & { tenant: string }) =>
  query
    .insertInto('offers')
    .values({
      ...insertedColumns(OFFER_CREATED, p),
      weight: sql<number>`case when ${p.status}::text = 'accepted' then 100 else ${p.weight} end`,
      tenant_id: p.tenant,
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doNothing())
    .returning(OFFER_COLUMNS),
);

/**
 * Changes an offer. An offer that is accepted afterwards has weight 100, whatever was supplied (contract,
 * "States"). A status is set only while the stored one is still `seen_status`; nothing comes back otherwise.
 */
export const updateOffer = statement(
  'update offer',
  (p: PatchParameters<Required<OfferUpdate>> & { tenant: string; id: string; seen_status: string | null }) =>
    query
      .updateTable('offers')
      .set({
        ...patchedColumns(OFFER_CHANGEABLE, p),
        weight: sql`case when (${patchedColumn('status', p)}) = 'accepted' then 100 else ${patchedColumn('weight', p)} end`,
        updated_at: sql`now()`,
      })
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id)
      .where(sql<SqlBool>`(not ${p.has_status}::boolean or status = ${p.seen_status})`)
      .returning(OFFER_COLUMNS),
);
