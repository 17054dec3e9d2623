import { patchParameters } from '../db/columns.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, noContent, operation } from '../http/endpoint.ts';
import { found, invalidRequest, Problem } from '../http/problem.ts';
import { ruleOf } from '../http/rule.ts';
import { checkReferences } from '../companies/references.ts';
import { onLockedContact, onMatchingContact } from './locked.ts';
import { requireContact } from './require-contact.ts';
import {
  contactParams,
  LINK_CHANGEABLE,
  linkAnswer,
  linkCreate,
  linkParams,
  linksAnswer,
  linkUpdate,
  MAX_LINKS,
  MAX_POINTS,
  POINT_CHANGEABLE,
  pointAnswer,
  pointCreate,
  pointParams,
  pointsAnswer,
  pointUpdate,
} from './schema.ts';
import { linkStore, pointStore } from './store.ts';

export const postPoint = operation({
  operationId: 'addContactPoint',
  summary: 'Add a contact detail',
  description:
    'Each request adds a detail, duplicates included: after a timeout, repeat it with the same `Idempotency-Key`, or check with GET first.',
  tag: 'Contacts',
  params: contactParams,
  body: pointCreate,
  outcomes: { 201: 'The contact detail was added.' },
  answers: { 201: pointAnswer },
  fails: ['not_found', 'limit_reached'],
  ifMatch: 'contact',
  async handle({ params: { id }, body, tenant, match }) {
    const point = { contact: id, ...body, limit: MAX_POINTS };
    const data = await onMatchingContact(tenant, id, match, (on) => on.row(pointStore.insert, point));
    if (data) return answer(201, { data }, { contact: id });
    await requireContact(tenant, id);
    throw limitReached(id, `${MAX_POINTS} details`);
  },
});

export const patchPoint = operation({
  operationId: 'updateContactPoint',
  summary: 'Change a contact detail',
  description:
    'Omitted fields stay unchanged. The result must satisfy the rules of its type: an email address must be valid, and `other` needs a label.',
  tag: 'Contacts',
  params: pointParams,
  body: pointUpdate,
  outcomes: { 200: 'The contact detail as it is now.' },
  answers: { 200: pointAnswer },
  fails: ['not_found'],
  addition: true,
  ifMatch: 'contact',
  async handle({ params, body, tenant, match }) {
    const named = { contact: params.id, id: params.pointId };
    const data = await onLockedContact(
      tenant,
      named.contact,
      async (transaction) => {
        const point = await transaction.row(pointStore.find, named);
        if (!point) return undefined;
        const { id: _, ...before } = point;
        refuseInvalid(pointCreate.safeParse({ ...before, ...body }));
        return transaction.row(pointStore.update, { ...patchParameters(POINT_CHANGEABLE, body), ...named });
      },
      match,
    );
    return answer(200, { data: await foundUnder(tenant, named, data, detailOf) });
  },
});

export const deletePoint = operation({
  operationId: 'deleteContactPoint',
  summary: 'Remove a contact detail',
  description: 'Cannot be undone. A repeated request is answered 404.',
  tag: 'Contacts',
  params: pointParams,
  outcomes: { 204: 'The contact detail is removed.' },
  answers: { 204: noContent },
  fails: ['not_found'],
  addition: true,
  ifMatch: 'contact',
  async handle({ params, tenant, match }) {
    const named = { contact: params.id, id: params.pointId };
    const gone = await onLockedContact(tenant, params.id, (on) => on.row(pointStore.delete, named), match);
    await foundUnder(tenant, named, gone, detailOf);
    return answer(204, undefined);
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
    const data = await tenant.rows(pointStore.list, { contact: id });
    if (data.length === 0) await requireContact(tenant, id);
    return answer(200, { data });
  },
});

export const postLink = operation({
  operationId: 'linkContactToCompany',
  summary: 'Link a contact to a company',
  description:
    'Each request creates a link, duplicates included: after a timeout, repeat it with the same `Idempotency-Key`, or check with GET first.',
  tag: 'Contacts',
  params: contactParams,
  body: linkCreate,
  outcomes: { 201: 'The link was added.' },
  answers: { 201: linkAnswer },
  fails: ['not_found', 'invalid_reference', 'limit_reached'],
  ifMatch: 'contact',
  async handle({ params: { id }, body, tenant, match }) {
    await requireContact(tenant, id);
    await checkReferences(tenant, body);
    const link = { contact: id, ...body, limit: MAX_LINKS };
    const data = await onMatchingContact(tenant, id, match, (on) => on.row(linkStore.insert, link));
    if (data) return answer(201, { data }, { contact: id });
    // It may have been erased or merged since.
    await requireContact(tenant, id);
    throw limitReached(id, `${MAX_LINKS} company links`);
  },
});

export const patchLink = operation({
  operationId: 'updateContactCompany',
  summary: 'Change a company link',
  description: 'Omitted fields stay unchanged; `role: null` clears the role.',
  tag: 'Contacts',
  params: linkParams,
  body: linkUpdate,
  outcomes: { 200: 'The link as it is now.' },
  answers: { 200: linkAnswer },
  fails: ['not_found', 'invalid_reference'],
  addition: true,
  ifMatch: 'contact',
  async handle({ params, body, tenant, match }) {
    const named = { contact: params.id, id: params.linkId };
    if (body.company_id) {
      await foundUnder(tenant, named, await tenant.row(linkStore.find, named), linkOf);
      await checkReferences(tenant, body);
    }
    const change = { ...patchParameters(LINK_CHANGEABLE, body), ...named };
    const data = await onMatchingContact(tenant, params.id, match, (on) => on.row(linkStore.update, change));
    return answer(200, { data: await foundUnder(tenant, named, data, linkOf) });
  },
});

export const deleteLink = operation({
  operationId: 'unlinkContactFromCompany',
  summary: 'Remove a company link',
  description: 'Cannot be undone. A repeated request is answered 404.',
  tag: 'Contacts',
  params: linkParams,
  outcomes: { 204: 'The link is removed.' },
  answers: { 204: noContent },
  fails: ['not_found'],
  addition: true,
  ifMatch: 'contact',
  async handle({ params, tenant, match }) {
    const named = { contact: params.id, id: params.linkId };
    const gone = await onMatchingContact(tenant, params.id, match, (on) => on.row(linkStore.delete, named));
    await foundUnder(tenant, named, gone, linkOf);
    return answer(204, undefined);
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
    const data = await tenant.rows(linkStore.list, { contact: id });
    if (data.length === 0) await requireContact(tenant, id);
    return answer(200, { data });
  },
});

function limitReached(contact: string, most: string): Problem {
  return new Problem('limit_reached', `Contact ${contact} already has ${most}, the most a contact can have`);
}

type Named = { contact: string; id: number };

const detailOf = ({ contact, id }: Named) => `Detail ${id} of contact ${contact}`;
const linkOf = ({ contact, id }: Named) => `Company link ${id} of contact ${contact}`;

/** The row of a detail or link. @throws {Problem} not_found; for a merged contact, `details` has `merged_into` */
async function foundUnder<Row>(
  tenant: Tenant,
  named: Named,
  row: Row | undefined,
  nameOf: (named: Named) => string,
): Promise<Row> {
  if (row === undefined) await requireContact(tenant, named.contact);
  return found(row, nameOf(named));
}

/** @throws {Problem} invalid_request when a rule between fields is broken */
function refuseInvalid(result: ReturnType<typeof pointCreate.safeParse>): void {
  if (result.success) return;
  const details = result.error.issues.map((issue) => ({
    field: String(issue.path[0]),
    message: issue.message,
    rule: ruleOf(issue),
  }));
  throw invalidRequest(details);
}
