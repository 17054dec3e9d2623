import { sql } from 'kysely';
import { statement } from '../db/statement.ts';

/** Data that an entry of the change log does not contain: the company of a task or an offer, and names. */
type Subject = { id: string; title: string; company_id: string | null };

/** Tasks and offers by id, including deleted ones. */
export const findTitles = statement(
  'find titles of tasks and offers',
  (p: { tenant: string; tasks: readonly string[]; offers: readonly string[] }) => sql<Subject>`
    select id::text as id, title, related_company_id as company_id from tasks
    where tenant_id = ${p.tenant} and id = any(${p.tasks}::uuid[])
    union all
    select id::text, title, company_id from offers
    where tenant_id = ${p.tenant} and id = any(${p.offers}::uuid[])
    union all
    select id, "row" ->> 'title', coalesce("row" ->> 'related_company_id', "row" ->> 'company_id')::uuid from deleted_rows
    where tenant_id = ${p.tenant} and "row" is not null
      and (resource = 'task' and id = any(${p.tasks}::text[]) or resource = 'offer' and id = any(${p.offers}::text[]))`,
);

/** Contacts by id; an erased one no longer has a name. */
export const findContactNames = statement(
  'find names of contacts',
  (p: { tenant: string; ids: readonly string[] }) => sql<{ id: string; name: string }>`
    select id, name from contacts
    where tenant_id = ${p.tenant} and id = any(${p.ids}::uuid[]) and erased_at is null`,
);

export const findKeyNames = statement(
  'find names of keys',
  (p: { tenant: string; ids: readonly string[] }) => sql<{ id: string; name: string }>`
    select id, name from api_keys where tenant_id = ${p.tenant} and id = any(${p.ids}::text[])`,
);
