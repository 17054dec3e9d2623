import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { invalidReference, type Detail } from '../http/problem.ts';

/** The tables that refer to companies, each with its column. */
export const COMPANY_REFERENCES = {
  contact_companies: 'company_id',
  timeline_entries: 'company_id',
  tasks: 'related_company_id',
  offers: 'company_id',
};

/** Whether a row means that its company is in use. In its timeline, only notes do; other entries are history. */
export function isUse(table: string, row: string): RawBuilder<SqlBool> {
  return table === 'timeline_entries' ? sql`${sql.ref(`${row}.type`)} = 'add_comment'` : sql`true`;
}

const findReferences = statement(
  'find references',
  (p: { tenant: string; user: string | null; company: string | null }) => sql<{
    user: boolean;
    company: boolean;
  }>`
    select
      ${p.user}::uuid is null or exists (
        select from memberships where tenant_id = ${p.tenant} and user_id = ${p.user} and removed_at is null) as "user",
      ${p.company}::uuid is null or exists (
        select from companies where tenant_id = ${p.tenant} and id = ${p.company} and not is_deleted) as company`,
);

/** The fields of bodies that name a person or a company; null and undefined are not checked. */
type References = Partial<
  Record<'user_id' | 'assigned_to' | 'company_id' | 'related_company_id', string | null | undefined>
>;

/**
 * Checks that the user and company in a body are in the workspace, and that the company is not deleted.
 * @throws {Problem} invalid_reference naming the fields
 */
export async function checkReferences(tenant: Tenant, body: References): Promise<void> {
  const user = body.user_id ?? body.assigned_to ?? null;
  const company = body.company_id ?? body.related_company_id ?? null;
  if (user === null && company === null) return;
  const found = (await tenant.row(findReferences, { user, company }))!;
  const details: Detail[] = [];
  if (!found.user)
    details.push({
      field: body.user_id ? 'user_id' : 'assigned_to',
      message: 'is not a user in this workspace',
    });
  if (!found.company)
    details.push({
      field: body.company_id ? 'company_id' : 'related_company_id',
      message: 'is not a company in this workspace, or is deleted',
    });
  if (details.length > 0) throw invalidReference(details);
}
