import { sql, type RawBuilder } from 'kysely';
import { etag } from '../changes/write.ts';
import { companyColumn } from '../companies/named.ts';
import { byUpdate } from '../db/listing-range.ts';
import type { Listing } from '../db/listing-shape.ts';
import { statement } from '../db/statement.ts';
import type { Card } from './card-schema.ts';
import { personOf, SHOWN } from '../members/shown.ts';
import { offerList } from './list.ts';
import { OFFER_COLUMNS } from './schema.ts';

/** Person `u` with membership `m` as the owner of an offer. */
export const OWNER = sql`json_build_object('id', u.id, 'first_name', ${SHOWN.first_name}, 'last_name', ${SHOWN.last_name})`;

/** Open tasks of the company of offer `t`. */
const openTasks = (tenant: unknown) => sql`from tasks as k
  where k.tenant_id = ${tenant} and k.related_company_id = t.company_id and not k.completed`;

/** When the company's next open task is due. */
export const nextDue = (tenant: string) => sql<string | null>`(select min(k.due_date) ${openTasks(tenant)})`;

/** A card without what depends on the time. */
export type StoredCard = Omit<Card, 'next_task'> & {
  next_task: Omit<NonNullable<Card['next_task']>, 'overdue'> | null;
};

/** What a card shows of offer `t`. */
export const cardColumns = (tenant: unknown): RawBuilder<unknown>[] => [
  ...[...OFFER_COLUMNS, 'status_since', 'updated_at'].map((column) => sql.ref(`t.${column}`)),
  sql`${etag}`,
  companyColumn(tenant, sql`t.company_id`),
  sql`(select ${OWNER} from ${personOf(tenant, sql`t.user_id`)}) as owner`,
  sql`(select json_build_object('id', k.id, 'title', k.title,
      'due_date', to_char(k.due_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'has_time_specified', k.has_time_specified)
    ${openTasks(tenant)} order by k.due_date, k.id limit 1) as next_task`,
];

export const findCard = statement(
  'find offer card',
  (p: { tenant: string; id: string }) =>
    sql<StoredCard>`select ${sql.join(cardColumns(p.tenant))} from offers as t where t.tenant_id = ${p.tenant} and t.id = ${p.id}`,
);

const statusSince = { by: sql`t.status_since`, type: 'timestamptz' } as const;

export const cardList: Listing<StoredCard> = {
  title: 'offer cards',
  table: 'offers',
  columns: ({ tenant }) => cardColumns(tenant),
  id: 'uuid',
  longText: ({ description }) => description,
  sorts: {
    ...byUpdate,
    status_since: statusSince,
    '-status_since': { ...statusSince, descending: true },
  },
  equal: offerList.equal,
  sieves: {},
};
