import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { statement } from '../db/statement.ts';
import { uuid } from '../http/fields.ts';

/** A company as other resources show it. */
export const namedCompany = z.strictObject({
  id: uuid,
  orgnr: z.string(),
  name: z.string(),
  is_archived: z.boolean(),
  is_deleted: z.boolean(),
});

/** `namedCompany` as a column of rows that name a company by its id. */
export const companyColumn = (tenant: unknown, id: RawBuilder<unknown>) =>
  sql`(select json_build_object('id', c.id, 'orgnr', c.orgnr, 'name', c.name, 'is_archived', c.is_archived,
      'is_deleted', c.is_deleted)
    from companies as c where c.tenant_id = ${tenant} and c.id = ${id}) as company`;

/** Companies by id or by number, deleted ones included: one query for all companies that a page names. */
export const findNamedCompanies = statement(
  'find named companies',
  (p: { tenant: string; ids: readonly string[]; orgnrs: readonly string[] }) => sql<
    z.output<typeof namedCompany>
  >`
    select id, orgnr, name, is_archived, is_deleted from companies where tenant_id = ${p.tenant} and id = any(${p.ids}::uuid[])
    union
    select id, orgnr, name, is_archived, is_deleted from companies where tenant_id = ${p.tenant} and orgnr = any(${p.orgnrs}::text[])`,
);
