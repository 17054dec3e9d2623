import { sql, type RawBuilder } from 'kysely';
import { reading } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { isInstant, isInteger, isUuid } from '../http/fields.ts';
import { cursorKindOf } from '../http/listed.ts';
import type { OfferStatus } from './card-schema.ts';
import { cardColumns, nextDue, type StoredCard } from './cards.ts';
import { OPEN_STATUSES } from './schema.ts';

/** How long closed offers stay on the board. */
const CLOSED_FOR = Temporal.Duration.from({ hours: 30 * 24 });

/**
 * How much of a column is sorted: at most MAX_CARDS offers that are longest in their status (closed ones: shortest),
 * and as many of the companies with the MAX_TASKS open tasks due first. A column of fewer offers is sorted completely.
 */
const MAX_CARDS = 1_000;
const MAX_TASKS = 500;

export function isOpen(status: OfferStatus): boolean {
  return (OPEN_STATUSES as readonly string[]).includes(status);
}

/** The time from which closed offers are shown and counted. */
export function closedSince(): string {
  return Temporal.Now.instant().subtract(CLOSED_FOR).toString({ fractionalSecondDigits: 3 });
}

type Asked = {
  status: OfferStatus;
  user_id?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/** One column, or its next part, ordered by the company's next open task, then by the time in the status. */
export async function readColumn(tenant: Tenant, { status, user_id, limit, cursor }: Asked) {
  const kind = cursorKindOf(tenant.id, 'board', status, user_id ?? null);
  const since = isOpen(status) ? null : closedSince();
  const rows = await tenant.rows(isOpen(status) ? listOpen : listClosed, {
    status,
    user: user_id ?? null,
    since,
    limit: limit + 1,
    ...placeOf(kind, cursor),
  });
  const cards = rows.slice(0, limit);
  const next_cursor = rows.length > limit ? cursorAfter(kind, cards.at(-1)!) : null;
  return { status, since, cards, next_cursor };
}

type Parameters = {
  tenant: string;
  status: string;
  user: string | null;
  since: string | null;
  limit: number;
  after_due: string | null;
  after_age: number | null;
  after_id: string | null;
};

const listOpen = listColumn({ direction: sql``, sign: sql`` });
const listClosed = listColumn({ direction: sql` desc`, sign: sql`-` });

/** Planned with the values of each query: the fastest plan depends on how many offers a person has. */
function listColumn({ direction, sign }: Record<'direction' | 'sign', RawBuilder<unknown>>) {
  return reading(undefined, (p: Parameters) => {
    const wanted = sql`o.tenant_id = ${p.tenant} and o.status = ${p.status}
      and (${p.since}::timestamptz is null or o.status_since >= ${p.since})
      and (${p.user}::uuid is null or o.user_id = ${p.user})`;
    const found = sql`o.id, o.company_id, o.status_since`;
    return sql<StoredCard>`with
      standing as (
        select ${found} from offers as o where ${wanted}
        order by o.status_since${direction}, o.id limit ${sql.lit(MAX_CARDS)}),
      urgent as (
        select ${found} from (
          select distinct related_company_id from (
            select related_company_id from tasks
            where tenant_id = ${p.tenant} and not completed and related_company_id is not null
            order by due_date, id limit ${sql.lit(MAX_TASKS)}) as due) as due
        join offers as o on o.company_id = due.related_company_id where ${wanted} limit ${sql.lit(MAX_CARDS)}),
      placed as (
        select t.id, coalesce(${nextDue(p.tenant)}, 'infinity') as due,
          ${sign}(extract(epoch from t.status_since) * 1000)::bigint as age
        from (table standing union table urgent) as t)
    select ${sql.join(cardColumns(p.tenant))} from (
      select * from placed
      where ${p.after_id}::uuid is null or (due, age, id)
        > (coalesce(${p.after_due}::timestamptz, 'infinity'), ${p.after_age}::bigint, ${p.after_id}::uuid)
      order by due, age, id limit ${p.limit}) as shown
    join offers as t on t.tenant_id = ${p.tenant} and t.id = shown.id
    order by shown.due, shown.age, shown.id`;
  });
}

function cursorAfter(kind: string, { id, status, status_since, next_task }: StoredCard): string {
  const age = Temporal.Instant.from(status_since).epochMilliseconds * (isOpen(status) ? 1 : -1);
  return encodeCursor(kind, [next_task?.due_date ?? '', age, id]);
}

const isDue = (value: unknown): value is string => value === '' || isInstant(value);

/** @throws {Problem} invalid_request for a cursor of another list */
function placeOf(kind: string, cursor: string | undefined) {
  if (!cursor) return { after_due: null, after_age: null, after_id: null };
  const [due, age, id] = decodeCursor(kind, cursor, [isDue, isInteger, isUuid]);
  return { after_due: due || null, after_age: age, after_id: id };
}
