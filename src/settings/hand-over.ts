import { sql, type RawBuilder } from 'kysely';
import type { Subject } from '../changes/record.ts';
import { updateRecorded, type IfMatch } from '../changes/write.ts';
import { assignment, companySubject, NOBODY, timelineOf } from '../companies/store.ts';
import { reading, statement, type Statement } from '../db/statement.ts';
import type { Change, Tenant } from '../db/tenant.ts';
import { lockLeaving } from '../members/store.ts';
import { IS_OPEN, offerSubject } from '../offers/store.ts';
import { taskSubject } from '../tasks/store.ts';
import { lockMembers } from './member-store.ts';

/** Where a count stops. */
const MAX_COUNTED = sql.lit(10_001);

/** Rows that one statement changes. */
const BATCH = 1_000;

type Handed = { tasks: number; offers: number; companies: number };

export const NOTHING: Handed = { tasks: 0, offers: 0, companies: 0 };

type OpenWork = { open_tasks: number; open_offers: number; companies: number };

const OPEN = {
  tasks: sql`not completed`,
  offers: IS_OPEN,
  companies: sql`not is_deleted`,
};

const countOpen = reading(
  'count open work',
  (p: { tenant: string; user_id: string }) => sql<OpenWork>`select
    (select count(*) from (select from tasks
      where tenant_id = ${p.tenant} and user_id = ${p.user_id} and ${OPEN.tasks} limit ${MAX_COUNTED}) t)::int as open_tasks,
    (select count(*) from (select from offers
      where tenant_id = ${p.tenant} and user_id = ${p.user_id} and ${OPEN.offers} limit ${MAX_COUNTED}) o)::int as open_offers,
    (select count(*) from (select from companies
      where tenant_id = ${p.tenant} and coalesce(assigned_to, ${NOBODY}) = ${p.user_id}
        and ${OPEN.companies} limit ${MAX_COUNTED}) c)::int as companies`,
);

/** What somebody has to take over when a member leaves: open tasks, open offers, companies that are not deleted. */
export async function countWork(tenant: Tenant, user_id: string): Promise<OpenWork> {
  return (await tenant.row(countOpen, { user_id }))!;
}

type HandOver = Statement<Change & IfMatch & { from: string; to: string; limit: number }, { id: string }>;

/** A statement that gives some rows of one person to another, each with its entry in the change log. */
function handing(
  table: 'tasks' | 'offers' | 'companies',
  what: {
    subject: Subject;
    column: string;
    person: RawBuilder<unknown>;
    also?: (p: Change) => readonly RawBuilder<unknown>[];
  },
): HandOver {
  return statement(
    `hand over ${table}`,
    (p: Change & IfMatch & { from: string; to: string; limit: number }) =>
      updateRecorded<{ id: string }>(p, {
        table,
        key: sql`id = any(array(
          select id from ${sql.table(table)}
          where tenant_id = ${p.tenant} and ${what.person} = ${p.from} and ${OPEN[table]} limit ${p.limit}))
          and ${what.person} = ${p.from} and ${OPEN[table]}`,
        set: { [what.column]: sql`${p.to}::uuid` },
        subject: what.subject,
        returned: ['id'],
        also: what.also?.(p) ?? [],
      }),
  );
}

const handTasks = handing('tasks', { subject: taskSubject, column: 'user_id', person: sql`user_id` });
const handOffers = handing('offers', { subject: offerSubject, column: 'user_id', person: sql`user_id` });
const handCompanies = handing('companies', {
  subject: companySubject,
  column: 'assigned_to',
  // Written as in the index.
  person: sql`coalesce(assigned_to, ${NOBODY})`,
  also: (p) => [timelineOf(p, [assignment()])],
});

/**
 * Hands over work that a member was given while their removal was under way, in a transaction of its own. Runs after
 * the removal has committed, because only then are requests that assign work to them refused. Hands over nothing if
 * the member who takes over has been removed as well.
 * @throws {DatabaseUnavailable} although the person is removed
 */
export async function handOverLate(tenant: Tenant, from: string, to: string): Promise<Handed> {
  return tenant.transaction(async (transaction) => {
    await transaction.row(lockLeaving, { user_id: from });
    const heir = await transaction.row(lockMembers, { ids: [to] });
    return heir ? handOver(transaction, from, to) : NOTHING;
  });
}

/** Gives a member's open work to another. Called in a transaction that has locked both memberships. */
export async function handOver(tenant: Tenant, from: string, to: string): Promise<Handed> {
  return {
    tasks: await handAll(tenant, handTasks, from, to),
    offers: await handAll(tenant, handOffers, from, to),
    companies: await handAll(tenant, handCompanies, from, to),
  };
}

async function handAll(tenant: Tenant, hand: HandOver, from: string, to: string): Promise<number> {
  for (let total = 0; ;) {
    const { length } = await tenant.rows(hand, { from, to, limit: BATCH, if_match: null });
    if (length === 0) return total;
    total += length;
  }
}
