import { z } from 'zod';
import { companyList } from '../companies/list.ts';
import { findNamedCompanies } from '../companies/named.ts';
import { company } from '../companies/schema.ts';
import { contactList, searchedContacts } from '../contacts/list.ts';
import { contactWithParts } from '../contacts/schema.ts';
import { linkStore, pointStore } from '../contacts/store.ts';
import { pick } from '../db/columns.ts';
import { readPage } from '../db/listing.ts';
import type { Listing } from '../db/listing-shape.ts';
import { numberIn } from '../db/search.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { requiredText } from '../http/fields.ts';
import { limitOf } from '../http/paging.ts';
import { offerList } from '../offers/list.ts';
import { offerAnswer } from '../offers/schema.ts';
import { taskList } from '../tasks/list.ts';
import { taskAnswer } from '../tasks/schema.ts';

const companyName = z.string().nullable().meta({ description: 'Null where there is none.' });

const found = {
  companies: company.pick({ id: true, orgnr: true, name: true, status: true, is_archived: true }),
  contacts: contactWithParts
    .pick({ id: true, name: true })
    .extend({ detail: z.string().nullable(), company_name: companyName }),
  offers: offerAnswer.shape.data
    .pick({ id: true, title: true, status: true, user_id: true })
    .extend({ company_name: companyName }),
  tasks: taskAnswer.shape.data
    .pick({ id: true, title: true, due_date: true, has_time_specified: true, completed: true, user_id: true })
    .extend({ company_name: companyName, company_orgnr: z.string().nullable() }),
};

export const search = operation({
  operationId: 'search',
  summary: 'Search companies, contacts, offers and tasks at once',
  description:
    'By whole words of names and titles or their beginnings, in any order; companies by organisation number, contacts by email address and telephone number as well. The first of each.',
  query: z.strictObject({
    q: requiredText(100),
    limit: limitOf({ max: 50, usual: 5 }).meta({ description: 'The most of each; 5 when absent.' }),
  }),
  answers: {
    200: z.strictObject({
      data: z.strictObject({
        companies: z.array(found.companies),
        contacts: z.array(found.contacts),
        offers: z.array(found.offers),
        tasks: z.array(found.tasks),
      }),
    }),
  },
  fails: [],
  async handle({ query: { q, limit }, tenant }) {
    const first = async <Row>(list: Listing<Row>, sort: string, filters: object) =>
      (await readPage(list, tenant, { filters: { q, ...filters }, sort, after: undefined, limit })).rows;
    const [companies, contacts, offers, tasks] = await Promise.all([
      first(companyList, 'name', { q_number: numberIn(q) }),
      first(contactList, 'name', searchedContacts(q)),
      first(offerList, '-updated_at', {}),
      first(taskList, '-updated_at', {}),
    ]);
    const contactsOwn = await ownOf(tenant, contacts);
    const names = await namesOf(tenant, [
      ...offers.map(({ company_id }) => company_id),
      ...tasks.map(({ related_company_id }) => related_company_id),
      ...contactsOwn.companies.values(),
    ]);
    const nameOf = (id: string | null | undefined) => (id && names.get(id)?.name) || null;
    return answer(200, {
      data: {
        companies: companies.map((row) => pick(row, ['id', 'orgnr', 'name', 'status', 'is_archived'])),
        contacts: contacts.map(({ id, name }) => ({
          id,
          name,
          detail: contactsOwn.details.get(id) ?? null,
          company_name: nameOf(contactsOwn.companies.get(id)),
        })),
        offers: offers.map((offer) => ({
          ...pick(offer, ['id', 'title', 'status', 'user_id']),
          company_name: nameOf(offer.company_id),
        })),
        tasks: tasks.map((task) => ({
          ...pick(task, ['id', 'title', 'due_date', 'has_time_specified', 'completed', 'user_id']),
          company_name: nameOf(task.related_company_id),
          company_orgnr: names.get(task.related_company_id ?? '')?.orgnr ?? null,
        })),
      },
    });
  },
});

/** The first detail and the first company of each contact, to distinguish people with the same name. */
async function ownOf(tenant: Tenant, rows: readonly { id: string }[]) {
  const contacts = rows.map(({ id }) => id);
  const [points, links] = await Promise.all([
    contacts.length > 0 ? tenant.rows(pointStore.listOf, { contacts }) : [],
    contacts.length > 0 ? tenant.rows(linkStore.listOf, { contacts }) : [],
  ]);
  return {
    details: new Map(points.toReversed().map(({ contact_id, value }) => [contact_id, value])),
    companies: new Map(links.toReversed().map(({ contact_id, company_id }) => [contact_id, company_id])),
  };
}

async function namesOf(tenant: Tenant, ids: readonly (string | null)[]) {
  const asked = [...new Set(ids.filter((id) => id !== null))];
  const rows = asked.length === 0 ? [] : await tenant.rows(findNamedCompanies, { ids: asked, orgnrs: [] });
  return new Map(rows.map((row) => [row.id, row]));
}
