import { sql } from 'kysely';
import { z } from 'zod';
import { companyColumn, namedCompany } from '../companies/named.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/fields.ts';
import { namedPerson, personColumn } from '../members/named.ts';
import { offer, OPEN_STATUSES } from './schema.ts';

const { shape } = offer.omit({ description: true, weight: true, created_at: true });

export const waitingOffer = z.strictObject({
  ...shape,
  since: timestamp,
  company: namedCompany,
  user: namedPerson,
});

const COLUMNS = sql.join(Object.keys(shape).map((column) => sql.ref(`t.${column}`)));
const OPEN = sql.lit(`{${OPEN_STATUSES.join()}}`);

/** Open offers, those longest in their status first, read from the index of each status. */
export const findWaitingOffers = statement(
  'find waiting offers',
  (p: { tenant: string; user_id: string | null; limit: number }) => sql<z.output<typeof waitingOffer>>`
    select ${COLUMNS}, t.status_since as since, ${companyColumn(p.tenant, sql`t.company_id`)},
      ${personColumn(p.tenant, sql`t.user_id`)}
    from unnest(${OPEN}::text[]) as open (status), lateral (
      select * from offers
      where tenant_id = ${p.tenant} and offers.status = open.status
        and (${p.user_id}::uuid is null or user_id = ${p.user_id}::uuid)
      order by status_since, id limit ${p.limit}) as t
    order by t.status_since, t.id limit ${p.limit}`,
);
