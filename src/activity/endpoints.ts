import { z } from 'zod';
import type { HistoryEntry } from '../changes/history-schema.ts';
import { readHistory } from '../changes/history-store.ts';
import { findNamedCompanies } from '../companies/named.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { limitOf } from '../http/paging.ts';
import { groupActivities, type Told } from './group.ts';
import { activityAnswer } from './schema.ts';
import { findCompaniesOf } from './store.ts';

/** The entries from which the newest activities are built. */
const MAX_ENTRIES = 200;

export const getActivity = operation({
  operationId: 'listActivity',
  summary: 'What happened lately',
  description:
    'The newest entries of the change log, with related ones combined, and the names of the people and things they are about.',
  query: z.strictObject({ limit: limitOf({ max: 50, usual: 12 }) }),
  answers: { 200: activityAnswer },
  fails: [],
  async handle({ query: { limit }, tenant }) {
    const { entries } = await readHistory(tenant, {}, { before: undefined, limit: MAX_ENTRIES });
    return answer(200, { data: groupActivities(await tell(tenant, entries)).slice(0, limit) });
  },
});

/** Adds the companies: entries of tasks and offers have none, those of companies and notes only the number. */
async function tell(tenant: Tenant, entries: readonly HistoryEntry[]): Promise<Told[]> {
  const idsOf = (resource: HistoryEntry['resource']) =>
    entries.filter((entry) => entry.resource === resource).map(({ resource_id }) => resource_id);
  const [ofSubjects, byNumber] = await Promise.all([
    tenant.rows(findCompaniesOf, { tasks: idsOf('task'), offers: idsOf('offer') }),
    tenant.rows(findNamedCompanies, { ids: [], orgnrs: entries.flatMap(({ orgnr }) => orgnr ?? []) }),
  ]);
  const companies = new Map([
    ...ofSubjects.map(({ subject, company }) => [subject, company] as const),
    ...byNumber.map((company) => [company.orgnr, company] as const),
  ]);
  return entries.map((entry) => {
    const { actor, orgnr, contact_id, resource, resource_id } = entry;
    const title = orgnr === null ? entry.title : null;
    return {
      entry,
      actor: { ...actor, name: actor.kind === 'user' || actor.kind === 'key' ? actor.name : null },
      company: companies.get(orgnr ?? `${resource} ${resource_id}`) ?? null,
      contact: contact_id !== null && title !== null ? { id: contact_id, name: title } : null,
      title,
    };
  });
}
