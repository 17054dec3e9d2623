import { sql } from 'kysely';
import { statement } from '../db/statement.ts';
import { MAX_COUNT, type CompanyCounts, type Deletion, type NextTask } from './overview-schema.ts';

/** The first open task of each of these companies, if it has one. */
export const findNextTasks = statement(
  'find next tasks of companies',
  (p: { tenant: string; company_ids: readonly string[] }) => sql<NextTask & { company_id: string }>`
    select company.id as company_id, task.*
    from unnest(${p.company_ids}::uuid[]) as company (id), lateral (
      select t.id, t.title, t.due_date, t.has_time_specified, t.user_id from tasks as t
      where t.tenant_id = ${p.tenant} and t.related_company_id = company.id and t.completed = false
      order by t.due_date, t.id limit 1) as task`,
);

/** Contacts, open tasks and offers of a company, each counted up to one more than MAX_COUNT. */
export const countOfCompany = statement(
  'count contacts, tasks and offers of company',
  (p: { tenant: string; company_id: string }) => {
    const most = sql.lit(MAX_COUNT + 1);
    return sql<CompanyCounts>`select
      (select count(*)::integer from (
        select distinct l.contact_id from contact_companies as l join contacts as c on c.tenant_id = ${p.tenant} and c.id = l.contact_id
        where l.tenant_id = ${p.tenant} and l.company_id = ${p.company_id} and c.erased_at is null limit ${most}) as found) as contacts,
      (select count(*)::integer from (
        select from tasks as t where t.tenant_id = ${p.tenant} and t.related_company_id = ${p.company_id}
          and t.completed = false limit ${most}) as found) as open_tasks,
      (select count(*)::integer from (
        select from offers as o where o.tenant_id = ${p.tenant} and o.company_id = ${p.company_id} limit ${most}) as found) as offers`;
  },
);

/** When a company was last deleted, and by whom. */
export const findDeletion = statement(
  'find deletion of company',
  (p: { tenant: string; company_id: string }) => sql<Deletion>`
    select created_at as deleted_at, user_id from timeline_entries
    where tenant_id = ${p.tenant} and company_id = ${p.company_id} and type = 'delete' order by id desc limit 1`,
);
