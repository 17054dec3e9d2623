import { answer, operation } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { checkReferences } from '../companies/references.ts';
import { requireContact } from './endpoints.ts';
import {
  contactParams,
  linkAnswer,
  linkCreate,
  linksAnswer,
  MAX_LINKS,
  MAX_POINTS,
  pointAnswer,
  pointCreate,
  pointsAnswer,
} from './schema.ts';
import { insertLink, insertPoint, listLinks, listPoints } from './store.ts';

export const postPoint = operation({
  operationId: 'addContactPoint',
  summary: 'Add a contact detail',
  description:
    'Each request adds a detail, duplicates included: after a timeout, check with GET before sending again.',
  tag: 'Contacts',
  params: contactParams,
  body: pointCreate,
  outcomes: { 201: 'The contact detail was added.' },
  answers: { 201: pointAnswer },
  fails: ['not_found', 'limit_reached'],
  async handle({ params: { id }, body, tenant }) {
    const data = await tenant.row(insertPoint, { contact: id, ...body, limit: MAX_POINTS });
    if (data) return answer(201, { data }, { contact: id });
    await requireContact(tenant, id);
    throw limitReached(id, `${MAX_POINTS} details`);
  },
});

export const getPoints = operation({
  operationId: 'listContactPoints',
  summary: 'List contact details',
  description: 'Ordered by id.',
  tag: 'Contacts',
  params: contactParams,
  outcomes: { 200: 'All contact details of the contact.' },
  answers: { 200: pointsAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    const data = await tenant.rows(listPoints, { contact: id });
    if (data.length === 0) await requireContact(tenant, id);
    return answer(200, { data });
  },
});

export const postLink = operation({
  operationId: 'linkContactToCompany',
  summary: 'Link a contact to a company',
  description:
    'Each request creates a link, duplicates included: after a timeout, check with GET before sending again.',
  tag: 'Contacts',
  params: contactParams,
  body: linkCreate,
  outcomes: { 201: 'The link was added.' },
  answers: { 201: linkAnswer },
  fails: ['not_found', 'invalid_reference', 'limit_reached'],
  async handle({ params: { id }, body, tenant }) {
    await requireContact(tenant, id);
    await checkReferences(tenant, { company: ['company_id', body.company_id] });
    const data = await tenant.row(insertLink, { contact: id, ...body, limit: MAX_LINKS });
    if (data) return answer(201, { data }, { contact: id });
    throw limitReached(id, `${MAX_LINKS} company links`);
  },
});

export const getLinks = operation({
  operationId: 'listContactCompanies',
  summary: 'List the companies a contact is linked to',
  description: 'Ordered by id.',
  tag: 'Contacts',
  params: contactParams,
  outcomes: { 200: 'All company links of the contact.' },
  answers: { 200: linksAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    const data = await tenant.rows(listLinks, { contact: id });
    if (data.length === 0) await requireContact(tenant, id);
    return answer(200, { data });
  },
});

function limitReached(contact: string, most: string): Problem {
  return new Problem('limit_reached', `Contact ${contact} already has ${most}, the most a contact can have`);
}
