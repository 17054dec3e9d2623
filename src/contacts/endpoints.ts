import { newId } from '../db/new-id.ts';
import { patchParameters } from '../db/columns.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { idAlreadyUsed, notFound } from '../http/problem.ts';
import {
  CONTACT_CHANGEABLE,
  contactAnswer,
  contactCreate,
  contactParams,
  contactUpdate,
  type Contact,
} from './schema.ts';
import { findContact, insertContact, updateContact } from './store.ts';

export const postContact = operation({
  operationId: 'createContact',
  summary: 'Create a contact',
  description:
    'Company links and contact details are added separately. Supply an `id` to be able to repeat the request after a timeout: 409 then means that the earlier one succeeded.',
  tag: 'Contacts',
  body: contactCreate,
  outcomes: { 201: 'The contact was created.' },
  answers: { 201: contactAnswer },
  fails: ['id_already_used'],
  async handle({ body, tenant }) {
    const id = body.id ?? newId();
    const data = await tenant.row(insertContact, { ...body, id });
    if (!data) throw idAlreadyUsed('a contact', id);
    return answer(201, { data });
  },
});

export const getContact = operation({
  operationId: 'getContact',
  summary: 'Read a contact',
  description: 'Its contact details and company links are read separately.',
  tag: 'Contacts',
  params: contactParams,
  outcomes: { 200: 'The contact.' },
  answers: { 200: contactAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    return answer(200, { data: await requireContact(tenant, id) });
  },
});

export const patchContact = operation({
  operationId: 'updateContact',
  summary: 'Change a contact',
  description: 'Omitted fields stay unchanged; an empty `notes` clears the notes.',
  tag: 'Contacts',
  params: contactParams,
  body: contactUpdate,
  outcomes: { 200: 'The contact as it is now.' },
  answers: { 200: contactAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, body, tenant }) {
    if (Object.keys(body).length === 0) return answer(200, { data: await requireContact(tenant, id) });
    const data = await tenant.row(updateContact, { ...patchParameters(CONTACT_CHANGEABLE, body), id });
    if (!data) throw noContact(id);
    return answer(200, { data });
  },
});

/** @throws {Problem} not_found */
export async function requireContact(tenant: Tenant, id: string): Promise<Contact> {
  const contact = await tenant.row(findContact, { id });
  if (!contact) throw noContact(id);
  return contact;
}

function noContact(id: string) {
  return notFound(`Contact ${id}`);
}
