import { sql } from 'kysely';
import { reading } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { closedSince, isOpen } from './board.ts';
import type { Card, OfferStatus, Sums } from './card-schema.ts';
import { OWNER } from './cards.ts';
import { OFFER_STATUSES } from './schema.ts';
import { IS_OPEN } from './store.ts';

type Cell = {
  status: OfferStatus;
  owner: Card['owner'];
  count: string;
  one_time: string;
  recurring: string;
  hundredths: string;
};

/**
 * Sums by status and owner. An amount times its weight fits a bigint. Sums of bigints are numeric, and only these are
 * multiplied by the periods of a year: nothing overflows or is rounded.
 */
const sumOffers = reading(undefined, (p: { tenant: string; user: string | null; since: string }) => {
  const mine = sql`tenant_id = ${p.tenant} and (${p.user}::uuid is null or user_id = ${p.user})`;
  return sql<Cell>`with
      wanted as (
        select * from offers where ${mine} and ${IS_OPEN}
        union all
        select * from offers where ${mine} and status in ('accepted', 'rejected') and status_since >= ${p.since}),
      parts as (
        select status, user_id, count(*) as count,
          case recurring_frequency when 'monthly' then 12 when 'quarterly' then 4 else 1 end as periods,
          sum(one_time_revenue) as one_time, sum(recurring_revenue) as recurring,
          sum(one_time_revenue * weight) as one_time_weighted, sum(recurring_revenue * weight) as recurring_weighted
        from wanted group by status, user_id, recurring_frequency),
      cells as (
        select status, user_id, sum(count)::text as count, sum(one_time)::text as one_time,
          sum(recurring * periods)::text as recurring,
          sum(one_time_weighted + recurring_weighted * periods)::text as hundredths
        from parts group by status, user_id)
    select status, count, one_time, recurring, hundredths, ${OWNER} as owner
    from cells join memberships as m on m.tenant_id = ${p.tenant} and m.user_id = cells.user_id
      join users as u on u.id = m.user_id`;
});

/** Sums of open and recently closed offers, in kroner. */
export async function readSums(tenant: Tenant, user_id: string | undefined) {
  const since = closedSince();
  const cells = await tenant.rows(sumOffers, { user: user_id ?? null, since });
  const open = cells.filter(({ status }) => isOpen(status));
  const owners = new Map(open.map(({ owner }) => [owner.id, owner]));
  return {
    since,
    open: addUp(open),
    by_status: OFFER_STATUSES.map((status) => ({
      status,
      ...addUp(cells.filter((cell) => cell.status === status)),
    })),
    by_owner: [...owners.values()].map((owner) => ({
      owner,
      ...addUp(open.filter((cell) => cell.owner.id === owner.id)),
    })),
  };
}

/** A weighted sum is rounded to whole kroner once, at the end. */
function addUp(cells: readonly Cell[]): Sums {
  const sum = (name: 'count' | 'one_time' | 'recurring' | 'hundredths') =>
    cells.reduce((total, cell) => total + BigInt(cell[name]), 0n);
  return {
    count: Number(sum('count')),
    one_time: String(sum('one_time')),
    recurring: String(sum('recurring')),
    weighted: String((sum('hundredths') + 50n) / 100n),
  };
}
