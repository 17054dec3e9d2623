import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { recordOf } from '../db/columns.ts';
import { wordsOfGone } from '../db/search.ts';
import { statement } from '../db/statement.ts';
import { entryWithoutFields, type Subject } from '../changes/record.ts';
import { COMPANY_REFERENCES, isUse } from '../companies/references.ts';
import { companySubject, companyWords, noteOf } from '../companies/store.ts';
import { contactSubject, links, points } from '../contacts/store.ts';
import { contactWords, wordOfGonePoint } from '../contacts/words.ts';
import { offerSubject, offerWords } from '../offers/store.ts';
import { taskSubject, taskWords } from '../tasks/store.ts';
import type { DemoRows } from './story.ts';

/** Tables that the demo writes to, in an order in which rows refer only to rows of earlier tables. */
export const TABLES = [
  'companies',
  'contacts',
  'contact_points',
  'contact_companies',
  'timeline_entries',
  'tasks',
  'offers',
] as const satisfies (keyof DemoRows)[];

export type DemoTable = (typeof TABLES)[number];
/** Tables that the demo's rows are in. */
export type Touched = DemoTable | 'memberships';
type OfTenant = { tenant: string };

/**
 * Columns that refer to a company, a contact or a member, by table. A row that still has references after
 * the demo's rows are removed is used by other data, and stays.
 */
export const REFERENCES: Partial<Record<Touched, Record<string, string>>> = {
  companies: COMPANY_REFERENCES,
  contacts: { contact_points: 'contact_id', contact_companies: 'contact_id' },
  memberships: {
    api_keys: 'user_id',
    imports: 'user_id',
    companies: 'assigned_to',
    timeline_entries: 'user_id',
    tasks: 'user_id',
    offers: 'user_id',
  },
};

/** What the rows of each table are called in the change log. */
const SUBJECTS: Record<DemoTable, Subject> = {
  companies: companySubject,
  contacts: contactSubject,
  contact_points: points.subject,
  contact_companies: links.subject,
  timeline_entries: noteOf('written'),
  tasks: taskSubject,
  offers: offerSubject,
};

/** Search words are removed with their rows. */
const WORDS: Partial<Record<DemoTable, (tenant: string) => RawBuilder<unknown>[]>> = {
  companies: (tenant) => [wordsOfGone(companyWords, tenant)],
  contacts: (tenant) => [wordsOfGone(contactWords, tenant)],
  contact_points: (tenant) => [wordOfGonePoint(tenant)],
  tasks: (tenant) => [wordsOfGone(taskWords, tenant)],
  offers: (tenant) => [wordsOfGone(offerWords, tenant)],
};

const DEMO = { actor_kind: 'command', actor_id: 'demo', request_id: null } as const;

/** Whether the workspace has demo data, and whether it has companies. */
export const findDemo = statement(
  'find demo',
  (p: OfTenant) => sql<{ is_there: boolean; is_empty: boolean }>`select
    exists (select from demo_data where tenant_id = ${p.tenant}) as is_there,
    not exists (select from companies where tenant_id = ${p.tenant}) as is_empty`,
);

/** Returns no row when the workspace already has demo data. */
export const claimDemo = statement(
  'claim demo',
  (p: OfTenant) => sql<{ tenant_id: string }>`
    insert into demo_data (tenant_id) values (${p.tenant}) on conflict (tenant_id) do nothing returning tenant_id`,
);

/** Organisation numbers of every company, deleted ones too. */
export const listOrgnrs = statement(
  'list orgnrs',
  (p: OfTenant) => sql<{ orgnr: string }>`select orgnr from companies where tenant_id = ${p.tenant}`,
);

/** Keeps the ids of what was added. */
export const recordDemo = statement(
  'record demo',
  (p: OfTenant & { members: string[] } & Record<DemoTable, (string | number)[]>) => sql`
    update demo_data set members = ${p.members}, ${sql.join(TABLES.map((table) => sql`${sql.ref(table)} = ${p[table]}`))}
    where tenant_id = ${p.tenant}`,
);

/** Locks the demo data until the transaction ends. */
export const lockDemo = statement(
  'lock demo',
  (p: OfTenant) => sql<{ members: string[] }>`
    select members from demo_data where tenant_id = ${p.tenant} for update`,
);

export const forgetDemo = statement(
  'forget demo',
  (p: OfTenant) => sql`delete from demo_data where tenant_id = ${p.tenant}`,
);

/** Keeps others from referring to the demo's rows while these are removed. */
export const lockRows = recordOf(['companies', 'contacts', 'memberships'], (table) =>
  statement(
    `lock demo ${table}`,
    (p: OfTenant) => sql<{ id: string }>`
      select ${idOf(table)} as id from ${sql.table(table)}
      where tenant_id = ${p.tenant} and ${isOfDemo(table, p.tenant)} order by 1 for update`,
  ),
);

/** Removes the demo's rows, except those that other data refer to. Rows deleted by people can no longer be restored. */
export const deleteRows = recordOf(TABLES, (table) =>
  statement(`delete demo ${table}`, (p: OfTenant) => {
    const written = sql`written as (
      delete from ${sql.table(table)}
      where tenant_id = ${p.tenant} and ${isOfDemo(table, p.tenant)} and ${isUnreferenced(table, p.tenant)}
        and ${isUnmoved(table, p.tenant)}
      returning *)`;
    const gone = sql`gone as (select * from written)`;
    const deleted = sql`deleted as (
      delete from deleted_rows
      where tenant_id = ${p.tenant} and resource = ${sql.lit(SUBJECTS[table].resource)}
        and id in (select unnest(${sql.ref(table)})::text from demo_data where tenant_id = ${p.tenant}))`;
    const entry = entryWithoutFields(SUBJECTS[table], { ...DEMO, tenant: p.tenant }, 'deleted', 'written');
    const ctes = sql.join([written, gone, deleted, entry, ...(WORDS[table]?.(p.tenant) ?? [])]);
    return sql<{ id: string | number }>`with ${ctes} select id from written`;
  }),
);

/**
 * Removes the timelines of the companies that are removed next. It is a separate statement because Citus checks foreign
 * keys after each part of a statement. Nothing is added meanwhile, as `lockRows` has locked the companies.
 */
export const deleteTimelines = statement(
  'delete demo timelines',
  (p: OfTenant) => sql`
    delete from timeline_entries where tenant_id = ${p.tenant} and company_id in (
      select id from companies
      where tenant_id = ${p.tenant} and ${isOfDemo('companies', p.tenant)} and ${isUnreferenced('companies', p.tenant)})`,
);

/** Members of the demo who have not joined: those who have joined were invited by somebody, and stay. */
export const findUnjoinedMembers = statement(
  'find unjoined demo members',
  (p: OfTenant) => sql<{ id: string }>`select user_id as id from memberships
    where tenant_id = ${p.tenant} and ${isOfDemo('memberships', p.tenant)} and joined_at is null`,
);

/**
 * Removed members of the demo whom nothing refers to. On Citus, a statement that removes members cannot read shards.
 */
export const findSpareMembers = statement(
  'find spare demo members',
  (p: OfTenant) => sql<{ id: string }>`select user_id as id from memberships
    where tenant_id = ${p.tenant} and removed_at is not null
      and ${isOfDemo('memberships', p.tenant)} and ${isUnreferenced('memberships', p.tenant)}`,
);

export const deleteMembers = statement(
  'delete demo members',
  (p: OfTenant & { ids: string[] }) => sql<{ id: string }>`
    delete from memberships where tenant_id = ${p.tenant} and user_id = any(${p.ids}::uuid[])
    returning user_id as id`,
);

/** Corrects the counts of demo contacts that stay; those that have lost something get a new version. */
export const recountContacts = statement(
  'recount demo contacts',
  (p: OfTenant) => sql`
    with counted as (
      select id,
        (select count(*) from contact_points where tenant_id = ${p.tenant} and contact_id = contacts.id) as points,
        (select count(*) from contact_companies where tenant_id = ${p.tenant} and contact_id = contacts.id) as links
      from contacts where tenant_id = ${p.tenant} and ${isOfDemo('contacts', p.tenant)})
    update contacts as c set
      point_count = points, link_count = links, version = version + 1, updated_at = now()
    from counted
    where c.tenant_id = ${p.tenant} and c.id = counted.id and (point_count, link_count) <> (points, links)`,
);

/** People of the demo who are members nowhere any more, and whom nobody has invited. */
export const findSparePeople = statement(
  'find spare demo people',
  (p: { ids: string[] }) => sql<{ id: string }>`select id from unnest(${p.ids}::uuid[]) as id
    where not exists (select from memberships where user_id = id)
      and not exists (select from welcome_links where user_id = id)`,
);

export const deletePeople = statement(
  'delete demo people',
  (p: { ids: string[] }) => sql`delete from users where id = any(${p.ids}::uuid[])`,
);

function isOfDemo(table: Touched, tenant: string): RawBuilder<SqlBool> {
  const ids = sql.ref(table === 'memberships' ? 'members' : table);
  return sql`${idOf(table)} in (select unnest(${ids}) from demo_data where tenant_id = ${tenant})`;
}

/** A row that a merge moved to another contact belongs to that contact. */
function isUnmoved(table: Touched, tenant: string): RawBuilder<SqlBool> {
  return table === 'contact_points' || table === 'contact_companies'
    ? sql`contact_id in (select unnest(contacts) from demo_data where tenant_id = ${tenant})`
    : sql`true`;
}

function isUnreferenced(table: Touched, tenant: string): RawBuilder<SqlBool> {
  const references = Object.entries(REFERENCES[table] ?? {});
  const absences = references.map(([from, column]) => {
    // Of a company's timeline, only notes count: the other entries are removed with the company.
    const isOfOthers = table === 'companies' ? isUse(from, 'r') : sql`true`;
    return sql`not exists (select from ${sql.table(from)} r where r.tenant_id = ${tenant} and r.${sql.ref(column)} = ${idOf(table)} and ${isOfOthers})`;
  });
  // Deleted rows count, too: they can be restored.
  for (const column of new Set(references.map(([, name]) => name)))
    absences.push(
      sql`not exists (select from deleted_rows r where r.tenant_id = ${tenant} and r."row" ->> ${sql.lit(column)} = ${idOf(table)}::text)`,
    );
  // `merged_into` has no foreign key: a contact stays if contacts from outside the demo were merged into it.
  if (table === 'contacts') {
    absences.push(sql`contacts.id not in (
      with recursive holding as (
        select merged_into as id from contacts where tenant_id = ${tenant} and merged_into is not null
          and id <> all (select unnest(contacts) from demo_data where tenant_id = ${tenant})
        union select merged_into from contacts join holding using (id) where tenant_id = ${tenant} and merged_into is not null)
      select id from holding)`);
  }
  return absences.length === 0 ? sql`true` : sql`(${sql.join(absences, sql` and `)})`;
}

function idOf(table: Touched): RawBuilder<string | number> {
  return sql.ref(`${table}.${table === 'memberships' ? 'user_id' : 'id'}`);
}
