import type { Tenant } from '../db/tenant.ts';
import { answer, answerOne, noContent, operation } from '../http/endpoint.ts';
import { missed } from '../http/conditional.ts';
import { requireShown } from './endpoints.ts';
import { companyAnswer, companyParams } from './schema.ts';
import { findCompany, flagCompany, type Flags, type StoredCompany } from './store.ts';

export const archiveCompany = operation({
  operationId: 'archiveCompany',
  summary: 'Archive a company',
  description: 'It stays in lists, with `is_archived` true.',
  params: companyParams,
  answers: { 200: companyAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { orgNr }, tenant }) {
    return answerOne(200, await flag(tenant, orgNr, { is_archived: true }));
  },
});

export const unarchiveCompany = operation({
  operationId: 'unarchiveCompany',
  summary: 'Take a company out of the archive',
  description: 'A company that is not archived stays unchanged.',
  params: companyParams,
  answers: { 200: companyAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { orgNr }, tenant }) {
    return answerOne(200, await flag(tenant, orgNr, { is_archived: false }));
  },
});

export const deleteCompany = operation({
  operationId: 'deleteCompany',
  summary: 'Delete a company',
  description:
    'It is hidden from lists, the API answers 404 for it and 409 `company_deleted` for its creation. Its contacts, tasks, offers and timeline stay, and it can be restored.',
  params: companyParams,
  answers: { 204: noContent },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { orgNr }, tenant, match }) {
    await flag(tenant, orgNr, { is_deleted: true }, match);
    return answer(204, undefined);
  },
});

export const restoreCompany = operation({
  operationId: 'restoreCompany',
  summary: 'Restore a deleted company',
  description: 'It comes back as it was. A company that is not deleted stays unchanged.',
  params: companyParams,
  answers: { 200: companyAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { orgNr }, tenant }) {
    return answerOne(200, await flag(tenant, orgNr, { is_deleted: false, with_deleted: true }));
  },
});

/** @throws {Problem} not_found, or precondition_failed where If-Match names another state */
async function flag(
  tenant: Tenant,
  orgnr: string,
  flags: Flags,
  match: readonly string[] | null = null,
): Promise<StoredCompany> {
  const flagged = await tenant.row(flagCompany, { orgnr, ...flags, if_match: match });
  if (flagged) return flagged;
  requireShown(await tenant.row(findCompany, { orgnr }), orgnr);
  throw missed(match, `Company ${orgnr}`);
}
