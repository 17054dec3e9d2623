import { sql, type RawBuilder } from 'kysely';
import { COMPANY_COLUMNS } from '../companies/schema.ts';
import { NOTE_COLUMNS } from '../companies/timeline-schema.ts';
import { CONTACT_COLUMNS, LINK_COLUMNS, POINT_COLUMNS } from '../contacts/schema.ts';
import { reading, type Statement } from '../db/statement.ts';
import { OFFER_COLUMNS } from '../offers/schema.ts';
import { TASK_COLUMNS } from '../tasks/schema.ts';
import type { Kind } from './lines.ts';

type Id = string | number;
type Row = { id: Id } & Record<string, unknown>;
type Page = { tenant: string; after: Id | null; limit: number };

/** How rows of a kind are read: `data` names the columns that the API shows; the others go into `more`. */
export type Reader = { data: readonly string[]; page: Statement<Page, Row> };

/** The contract shows `updated_at` of a task without a zone. */
const taskColumns = TASK_COLUMNS.map((column) =>
  column === 'updated_at' ? sql`t.updated_at at time zone 'UTC' as updated_at` : sql.ref(`t.${column}`),
);

function listed(columns: readonly string[], more: readonly string[] = []): RawBuilder<unknown>[] {
  return [...columns, ...more].map((column) => sql.ref(`t.${column}`));
}

/** The details or links of a contact, as the API shows them. */
function owned(tenant: string, table: string, columns: readonly string[]): RawBuilder<unknown> {
  const members = columns.map((column) => sql`${sql.lit(column)}, ${sql.ref(`o.${column}`)}`);
  return sql`(select coalesce(json_agg(json_build_object(${sql.join(members)}) order by o.id), '[]')
    from ${sql.table(table)} as o where o.tenant_id = ${tenant} and o.contact_id = t.id)`;
}

function reader(
  kind: Kind,
  data: readonly string[],
  from: {
    table: string;
    columns: RawBuilder<unknown>[];
    /** Further columns, from other tables of the workspace. */
    beside?: (tenant: string) => RawBuilder<unknown>[];
    key?: 'uuid' | 'bigint';
    where?: RawBuilder<unknown>;
  },
): Reader {
  const { table, columns, beside = () => [], key = 'uuid', where = sql`true` } = from;
  const type = sql.raw(key);
  return {
    data,
    page: reading(
      `export ${kind}`,
      (
        p: Page,
      ) => sql<Row>`select ${sql.join([...columns, ...beside(p.tenant)])} from ${sql.table(table)} as t
        where t.tenant_id = ${p.tenant} and ${where} and (${p.after}::${type} is null or t.id > ${p.after}::${type})
        order by t.id limit ${p.limit}`,
    ),
  };
}

const USER = ['id', 'email', 'first_name', 'last_name'];

/** Includes removed members, because what they wrote is exported. */
const users: Reader = {
  data: USER,
  page: reading(
    'export user',
    (p: Page) => sql<Row>`select ${sql.join(USER.map((column) => sql.ref(`u.${column}`)))},
        t.role, t.created_at, t.removed_at, t.rejoined_at
      from memberships as t join users as u on u.id = t.user_id
      where t.tenant_id = ${p.tenant} and (${p.after}::uuid is null or t.user_id > ${p.after}::uuid)
      order by t.user_id limit ${p.limit}`,
  ),
};

export const READERS: Record<Kind, Reader> = {
  user: users,
  company: reader('company', COMPANY_COLUMNS, {
    table: 'companies',
    columns: listed(COMPANY_COLUMNS, ['kept_fields', 'dissolved_on', 'created_at', 'updated_at']),
  }),
  contact: reader('contact', [...CONTACT_COLUMNS, 'points', 'links'], {
    table: 'contacts',
    columns: listed(CONTACT_COLUMNS, ['updated_at']),
    beside: (tenant) => [
      sql`${owned(tenant, 'contact_points', POINT_COLUMNS)} as points`,
      sql`${owned(tenant, 'contact_companies', LINK_COLUMNS)} as links`,
    ],
    where: sql`t.erased_at is null`,
  }),
  // Only the id, which must not be used again.
  erased_contact: reader('erased_contact', ['id'], {
    table: 'contacts',
    columns: listed(['id', 'created_at', 'updated_at', 'erased_at']),
    where: sql`t.erased_at is not null`,
  }),
  timeline_entry: reader('timeline_entry', NOTE_COLUMNS, {
    table: 'timeline_entries',
    columns: listed(NOTE_COLUMNS),
    key: 'bigint',
  }),
  task: reader('task', TASK_COLUMNS, { table: 'tasks', columns: taskColumns }),
  offer: reader('offer', OFFER_COLUMNS, {
    table: 'offers',
    columns: listed(OFFER_COLUMNS, ['updated_at', 'status_since']),
  }),
};
