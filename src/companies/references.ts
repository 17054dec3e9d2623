import { sql, type SqlBool } from 'kysely';
import { isLiveCompany } from './store.ts';
import { builder, statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { invalidReference, type Detail } from '../http/problem.ts';
import { isMember } from '../members/store.ts';

/** A field of a body and its id; null and undefined are not checked. */
type Reference = readonly [field: string, id: string | null | undefined];

const query = builder<unknown>();

const findReferences = statement(
  'find references',
  (p: { tenant: string; user: string | null; company: string | null }) =>
    query.selectNoFrom([
      sql<SqlBool>`(${p.user}::uuid is null or ${isMember(p.tenant, p.user!)})`.as('user'),
      sql<SqlBool>`(${p.company}::uuid is null or ${isLiveCompany(p.tenant, p.company!)})`.as('company'),
    ]),
);

/**
 * Checks that the user and company in a body are in the workspace, and that the company is not deleted.
 * @throws {Problem} invalid_reference naming the fields
 */
export async function checkReferences(
  tenant: Tenant,
  { user, company }: { user?: Reference; company?: Reference },
): Promise<void> {
  if (!user?.[1] && !company?.[1]) return;
  const found = await tenant.row(findReferences, {
    user: user?.[1] ?? null,
    company: company?.[1] ?? null,
  });
  const details: Detail[] = [];
  if (user && !found?.user) details.push({ field: user[0], message: 'is not a user in this workspace' });
  if (company && !found?.company)
    details.push({ field: company[0], message: 'is not a company in this workspace, or is deleted' });
  if (details.length > 0) throw invalidReference(details);
}
