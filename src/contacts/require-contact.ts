import type { Tenant } from '../db/tenant.ts';
import { notFound, Problem } from '../http/problem.ts';
import { findContact, findMergedInto, type StoredContact } from './store.ts';

/**
 * The contact with this id.
 * @throws {Problem} not_found; for a merged contact, `details` has `merged_into`
 */
export async function requireContact(tenant: Tenant, id: string): Promise<StoredContact> {
  const contact = await tenant.row(findContact, { id });
  if (contact) return contact;
  const merged = await tenant.row(findMergedInto, { id });
  if (!merged) throw notFound(`Contact ${id}`);
  const into = merged.merged_into;
  throw new Problem('not_found', `Contact ${id} was merged into ${into}: use that id`, {
    details: [{ field: 'merged_into', message: into }],
  });
}
