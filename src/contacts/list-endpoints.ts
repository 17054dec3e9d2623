import type { z } from 'zod';
import type { Listing } from '../db/listing-shape.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { listPage } from '../http/listed.ts';
import { contactList, contactRows, searchedContacts, type CountedContact } from './list.ts';
import { groupByContact } from './owned.ts';
import { contactRowsAnswer, contactsAnswer, contactsQuery, MAX_INCLUDED } from './schema.ts';
import { linkStore, pointStore } from './store.ts';

/** Links name companies, and a search by company reveals links: both need `companies:read`. */
export function asksForCompanies({ company_id, include }: Readonly<Record<string, unknown>>): boolean {
  return company_id !== undefined || String(include).split(',').includes('links');
}

export const getContacts = operation({
  operationId: 'listContacts',
  summary: 'Find or list contacts',
  description:
    'By words of the name, email address or telephone number (`q`), by an exact email address, or by company; all contacts without a filter. `company_id` and `include=links` need `companies:read` as well. Continue with `cursor` while `page.next_cursor` is not null; a late page costs as much as the first.',
  tag: 'Contacts',
  query: contactsQuery,
  outcomes: { 200: 'A page of contacts; empty when none matches.' },
  answers: { 200: contactsAnswer },
  fails: [],
  addition: true,
  async handle(request) {
    return answer(200, await readContacts(contactList, request));
  },
});

export const getContactRows = operation({
  operationId: 'listContactRows',
  summary: 'Find or list contacts with the time of their last change',
  description: 'As `GET /contacts`, with `updated_at`.',
  query: contactsQuery,
  answers: { 200: contactRowsAnswer },
  fails: [],
  async handle(request) {
    return answer(200, await readContacts(contactRows, request));
  },
});

type Asked = { query: z.output<typeof contactsQuery>; tenant: Tenant };

/** A page of a list of contacts, with the details and links that are asked for. */
async function readContacts<Row extends CountedContact>(
  list: Listing<Row>,
  { query: { limit, cursor, sort, include, ...filters }, tenant }: Asked,
) {
  const parts = include?.split(',') ?? [];
  const found = await listPage(
    list,
    tenant,
    { limit, cursor, sort },
    { ...filters, ...searchedContacts(filters.q) },
    { most: MAX_INCLUDED, takenBy: (contact) => countParts(contact, parts) },
  );
  return { ...found, data: await withParts(tenant, found.data, parts) };
}

function countParts({ point_count, link_count }: CountedContact, parts: readonly string[]): number {
  return (parts.includes('points') ? point_count : 0) + (parts.includes('links') ? link_count : 0);
}

async function withParts<Row extends CountedContact>(
  tenant: Tenant,
  contacts: Row[],
  parts: readonly string[],
) {
  const ids = contacts.map(({ id }) => id);
  const [points, links] = await Promise.all([
    parts.includes('points') ? groupByContact(tenant.rows(pointStore.listOf, { contacts: ids })) : undefined,
    parts.includes('links') ? groupByContact(tenant.rows(linkStore.listOf, { contacts: ids })) : undefined,
  ]);
  return contacts.map(({ point_count: _points, link_count: _links, ...contact }) => ({
    ...contact,
    ...(points && { points: points.get(contact.id) ?? [] }),
    ...(links && { links: links.get(contact.id) ?? [] }),
  }));
}
