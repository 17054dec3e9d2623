import { sql, type RawBuilder } from 'kysely';
import { COMPANY_COLUMNS } from '../companies/schema.ts';
import { NOTE_COLUMNS } from '../companies/timeline-schema.ts';
import { CONTACT_COLUMNS, LINK_COLUMNS, POINT_COLUMNS } from '../contacts/schema.ts';
import { statement, type Statement } from '../db/statement.ts';
import { SHOWN_USER } from '../members/shown.ts';
import { OFFER_COLUMNS } from '../offers/schema.ts';
import { TASK_COLUMNS } from '../tasks/schema.ts';
import type { LineKind } from './lines.ts';

type Id = string | number;
type Row = { id: Id } & Record<string, unknown>;
type Page = { tenant: string; after: Id | null; limit: number };

/** How rows of a kind are read: `data` names the columns that the API shows; the others go into `more`. */
type ResourceReader = { data: readonly string[]; page: Statement<Page, Row> };

/** The details or links of a contact, as the API shows them. */
function owned(tenant: string, table: string, columns: readonly string[]): RawBuilder<unknown> {
  const members = columns.map((column) => sql`${sql.lit(column)}, ${sql.ref(`o.${column}`)}`);
  return sql`(select coalesce(json_agg(json_build_object(${sql.join(members)}) order by o.id), '[]')
    from ${sql.table(table)} as o where o.tenant_id = ${tenant} and o.contact_id = t.id)`;
}

function reader(
  kind: LineKind,
  table: string,
  data: readonly string[],
  what: {
    more?: readonly string[];
    /** Columns that the table does not have, or has in another form. */
    made?: (tenant: string) => Record<string, RawBuilder<unknown>>;
    key?: 'uuid' | 'bigint';
    where?: RawBuilder<unknown>;
  },
): ResourceReader {
  const { more = [], made = () => ({}), key = 'uuid', where = sql`true` } = what;
  const type = sql.raw(key);
  const page = statement(`export ${kind}`, (p: Page) => {
    const other: Record<string, RawBuilder<unknown>> = made(p.tenant);
    const columns = [...data, ...more].map(
      (name) => sql`${other[name] ?? sql.ref(`t.${name}`)} as ${sql.ref(name)}`,
    );
    return sql<Row>`select ${sql.join(columns)} from ${sql.table(table)} as t
      where t.tenant_id = ${p.tenant} and ${where} and (${p.after}::${type} is null or t.id > ${p.after}::${type})
      order by t.id limit ${p.limit}`;
  });
  return { data, page };
}

/** Includes removed members, because what they wrote is exported. */
const users: ResourceReader = {
  data: ['id', 'email', 'first_name', 'last_name'],
  page: statement(
    'export user',
    (p: Page) => sql<Row>`select ${SHOWN_USER}, m.role, m.created_at, m.removed_at, m.rejoined_at
      from memberships as m join users as u on u.id = m.user_id
      where m.tenant_id = ${p.tenant} and (${p.after}::uuid is null or m.user_id > ${p.after}::uuid)
      order by m.user_id limit ${p.limit}`,
  ),
};

export const READERS: Record<LineKind, ResourceReader> = {
  user: users,
  company: reader('company', 'companies', COMPANY_COLUMNS, {
    more: ['kept_fields', 'dissolved_on', 'created_at', 'updated_at'],
  }),
  contact: reader('contact', 'contacts', [...CONTACT_COLUMNS, 'points', 'links'], {
    more: ['updated_at'],
    made: (tenant) => ({
      points: owned(tenant, 'contact_points', POINT_COLUMNS),
      links: owned(tenant, 'contact_companies', LINK_COLUMNS),
    }),
    where: sql`t.erased_at is null`,
  }),
  // The id, which must not be used again, and the contact that the erased one was merged into.
  erased_contact: reader('erased_contact', 'contacts', ['id'], {
    more: ['created_at', 'updated_at', 'erased_at', 'merged_into'],
    where: sql`t.erased_at is not null`,
  }),
  timeline_entry: reader('timeline_entry', 'timeline_entries', NOTE_COLUMNS, { key: 'bigint' }),
  task: reader('task', 'tasks', TASK_COLUMNS, {
    // The contract shows `updated_at` of a task without a time zone.
    made: () => ({ updated_at: sql`t.updated_at at time zone 'UTC'` }),
  }),
  offer: reader('offer', 'offers', OFFER_COLUMNS, { more: ['updated_at', 'status_since'] }),
};
