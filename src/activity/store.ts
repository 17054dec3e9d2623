import { sql } from 'kysely';
import { companyColumn } from '../companies/named.ts';
import { statement } from '../db/statement.ts';
import type { Activity } from './schema.ts';

/** The companies of tasks and offers, including deleted ones; `subject` is, for example, `task 0190…`. */
export const findCompaniesOf = statement(
  'find companies of tasks and offers',
  (p: { tenant: string; tasks: readonly string[]; offers: readonly string[] }) => sql<{
    subject: string;
    company: Activity['company'];
  }>`
    select s.subject, ${companyColumn(p.tenant, sql`s.company_id`)} from (
      select 'task ' || id as subject, related_company_id as company_id from tasks
      where tenant_id = ${p.tenant} and id = any(${p.tasks}::uuid[])
      union all
      select 'offer ' || id, company_id from offers
      where tenant_id = ${p.tenant} and id = any(${p.offers}::uuid[])
      union all
      select resource || ' ' || id, coalesce("row" ->> 'related_company_id', "row" ->> 'company_id')::uuid from deleted_rows
      where tenant_id = ${p.tenant} and "row" is not null
        and (resource = 'task' and id = any(${p.tasks}::text[]) or resource = 'offer' and id = any(${p.offers}::text[]))
    ) as s`,
);
