import { sql } from 'kysely';
import { statement } from '../db/statement.ts';
import type { Offer } from './schema.ts';

/** When an offer's status was set: a column of the row, and of an index after workspace and status. */
const SINCE = sql.ref('status_since');

const OPEN = sql.lit('{new,sent,negotiating}');

/** Open offers, those unchanged for longest first, read from the index of each status. */
export const findWaitingOffers = statement(
  'find waiting offers',
  (p: { tenant: string; user_id: string | null; limit: number }) => sql<
    Pick<
      Offer,
      | 'id'
      | 'title'
      | 'status'
      | 'company_id'
      | 'user_id'
      | 'one_time_revenue'
      | 'recurring_revenue'
      | 'recurring_frequency'
    > & { since: string }
  >`
    select o.id, o.title, o.status, o.company_id, o.user_id, o.one_time_revenue, o.recurring_revenue,
      o.recurring_frequency, o.since
    from unnest(${OPEN}::text[]) as open (status), lateral (
      select *, ${SINCE} as since from offers
      where tenant_id = ${p.tenant} and offers.status = open.status
        and (${p.user_id}::uuid is null or user_id = ${p.user_id}::uuid)
      order by ${SINCE}, id limit ${p.limit}) as o
    order by o.since, o.id limit ${p.limit}`,
);
