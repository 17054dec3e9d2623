import { newId } from '../db/new-id.ts';
import { patchParameters } from '../db/columns.ts';
import { missed } from '../http/conditional.ts';
import { answer, answerOne, noContent, operation } from '../http/endpoint.ts';
import { idAlreadyUsed } from '../http/problem.ts';
import { CONTACT_CHANGEABLE, contactAnswer, contactCreate, contactParams, contactUpdate } from './schema.ts';
import { erase, onLockedContact } from './locked.ts';
import { requireContact } from './require-contact.ts';
import { findContact, insertContact, updateContact } from './store.ts';

const ADD_DETAIL = 'add it with POST /contacts/{id}/points';
const ADD_LINK = 'link it with POST /contacts/{id}/companies';

/** Fields that other systems keep on the contact; here they are resources of their own. */
const ELSEWHERE = {
  email: ADD_DETAIL,
  phone: ADD_DETAIL,
  mobile: ADD_DETAIL,
  points: ADD_DETAIL,
  company_id: ADD_LINK,
  links: ADD_LINK,
};

export const postContact = operation({
  operationId: 'createContact',
  summary: 'Create a contact',
  description:
    'Company links and contact details are added separately. Supply an `id` to be able to repeat the request after a timeout: 409 then means that the earlier one succeeded.',
  tag: 'Contacts',
  body: contactCreate,
  elsewhere: ELSEWHERE,
  outcomes: { 201: 'The contact was created.' },
  answers: { 201: contactAnswer },
  etag: true,
  fails: ['id_already_used'],
  async handle({ body, tenant }) {
    const id = body.id ?? newId();
    const data = await tenant.row(insertContact, { ...body, id });
    if (!data) {
      const isGone = (await tenant.row(findContact, { id })) === undefined;
      throw idAlreadyUsed(isGone ? 'a contact that was erased or merged' : 'a contact', id, { isGone });
    }
    return { ...answerOne(201, data), contact: id };
  },
});

export const getContact = operation({
  operationId: 'getContact',
  summary: 'Read a contact',
  description:
    'Its contact details and company links are read separately. A contact that was merged into another answers 404; `details` has an entry `merged_into` whose `message` is the id of the other contact.',
  tag: 'Contacts',
  params: contactParams,
  outcomes: { 200: 'The contact.' },
  answers: { 200: contactAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    return answerOne(200, await requireContact(tenant, id));
  },
});

export const patchContact = operation({
  operationId: 'updateContact',
  summary: 'Change a contact',
  description: 'Omitted fields stay unchanged; an empty `notes` clears the notes.',
  tag: 'Contacts',
  params: contactParams,
  body: contactUpdate,
  elsewhere: ELSEWHERE,
  outcomes: { 200: 'The contact as it is now.' },
  answers: { 200: contactAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { id }, body, tenant, match }) {
    const change = { ...patchParameters(CONTACT_CHANGEABLE, body), id, if_match: match };
    const data = await (body.name === undefined
      ? tenant.row(updateContact, change)
      : onLockedContact(tenant, id, (transaction) => transaction.row(updateContact, change)));
    if (data) return answerOne(200, data);
    await requireContact(tenant, id);
    throw missed(match, `Contact ${id}`);
  },
});

export const deleteContact = operation({
  operationId: 'eraseContact',
  summary: 'Erase a contact',
  description:
    'Removes the person, the contact details and the company links for good; a repeat is 404. The id cannot be used again: creating a contact with it is 409. Change entries stay, with ids and names of fields alone. What was written about the person in notes, tasks and offers is not searched, and restoring an older backup brings the person back.',
  tag: 'Contacts',
  params: contactParams,
  outcomes: { 204: 'The contact is erased.' },
  answers: { 204: noContent },
  fails: ['not_found'],
  etag: true,
  addition: true,
  async handle({ params: { id }, tenant, match }) {
    await erase(tenant, id, match);
    return answer(204, undefined);
  },
});
