import { z } from 'zod';
import { RESOURCES, type ChangeEntry } from '../changes/schema.ts';
import { listNewestChanges } from '../changes/store.ts';
import { findNamedCompanies } from '../companies/named.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { limitOf } from '../http/paging.ts';
import { findNamedPeople } from '../members/named.ts';
import { groupActivities, type Told } from './group.ts';
import { activityAnswer, type Activity } from './schema.ts';
import { findContactNames, findKeyNames, findTitles } from './store.ts';

/** The entries from which the newest activities are built. */
const MOST_ENTRIES = 200;

export const getActivity = operation({
  operationId: 'listActivity',
  summary: 'What happened lately',
  description:
    'The newest entries of the change log, those that belong together as one, with the names of whom and what they are about.',
  query: z.strictObject({ limit: limitOf({ max: 50, usual: 12 }) }),
  answers: { 200: activityAnswer },
  fails: [],
  async handle({ query: { limit }, tenant }) {
    const what = { resources: RESOURCES, since: null, limit: MOST_ENTRIES };
    const entries = (await listNewestChanges(tenant, what)).toReversed();
    return answer(200, { data: groupActivities(await tell(tenant, entries)).slice(0, limit) });
  },
});

/** Adds names, with one query for each kind of resource. */
async function tell(tenant: Tenant, entries: readonly ChangeEntry[]): Promise<Told[]> {
  const idsOf = (resource: ChangeEntry['resource']) =>
    unique(entries.map((entry) => (entry.resource === resource ? entry.resource_id : null)));
  const actorsOf = (kind: Activity['actor']['kind']) =>
    unique(entries.map(({ actor }) => (actor.kind === kind ? actor.id : null)));
  const [titles, contacts, people, keys] = await Promise.all([
    tenant.rows(findTitles, { tasks: idsOf('task'), offers: idsOf('offer') }),
    tenant.rows(findContactNames, { ids: unique(entries.map(({ contact_id }) => contact_id)) }),
    tenant.rows(findNamedPeople, { ids: actorsOf('user') }),
    tenant.rows(findKeyNames, { ids: actorsOf('key') }),
  ]);
  const companies = await tenant.rows(findNamedCompanies, {
    ids: unique(titles.map(({ company_id }) => company_id)),
    orgnrs: unique(entries.map(({ orgnr }) => orgnr)),
  });
  const titleOf = byId(titles);
  const contactOf = byId(contacts);
  const companyOf = byId(companies);
  const companyByNumber = new Map(companies.map((company) => [company.orgnr, company]));
  const names = new Map<string | null, string>([
    ...people.map(({ id, first_name, last_name }) => [id, `${first_name} ${last_name}`.trim()] as const),
    ...keys.map(({ id, name }) => [id, name] as const),
  ]);
  return entries.map((entry) => {
    const subject = titleOf.get(entry.resource_id);
    const contact = contactOf.get(entry.contact_id ?? '') ?? null;
    return {
      entry,
      actor: { ...entry.actor, name: names.get(entry.actor.id) ?? null },
      company: companyByNumber.get(entry.orgnr ?? '') ?? companyOf.get(subject?.company_id ?? '') ?? null,
      contact,
      title: subject?.title ?? contact?.name ?? null,
    };
  });
}

function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

function unique(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
