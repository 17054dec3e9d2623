import { newId } from '../db/new-id.ts';
import { patchParameters } from '../db/columns.ts';
import { missed, requireMatch } from '../http/conditional.ts';
import { answer, answerOne, operation } from '../http/endpoint.ts';
import { listPage } from '../http/listed.ts';
import { found, idAlreadyUsed, Problem } from '../http/problem.ts';
import { requiringUnusedId } from '../changes/used-ids.ts';
import { checkReferences } from '../companies/references.ts';
import { offerList } from './list.ts';
import {
  OFFER_CHANGEABLE,
  offerAnswer,
  offerCreate,
  offerParams,
  offerUpdate,
  offersAnswer,
  offersQuery,
} from './schema.ts';
import { findOffer, insertOffer, updateOffer, type StoredOffer } from './store.ts';

const requireUnused = requiringUnusedId('offer', 'an offer');

export const postOffer = operation({
  operationId: 'createOffer',
  summary: 'Create an offer',
  description:
    'A sales opportunity at a company of the workspace; sends no email, makes no quote document and adds nothing to the timeline. Supply an `id` to be able to repeat the request after a timeout: 409 then means that the earlier one succeeded.',
  tag: 'Offers',
  body: offerCreate,
  outcomes: { 201: 'The offer was created.' },
  answers: { 201: offerAnswer },
  etag: true,
  fails: ['invalid_reference', 'id_already_used'],
  async handle({ body, tenant }) {
    const id = body.id ?? newId();
    if (body.id) await requireUnused(tenant, id);
    await checkReferences(tenant, body);
    const data = await tenant.row(insertOffer, { ...body, id });
    if (!data) {
      const isGone = (await tenant.row(findOffer, { id })) === undefined;
      throw idAlreadyUsed(isGone ? 'a deleted offer' : 'an offer', id, { isGone });
    }
    return answerOne(201, data);
  },
});

export const getOffers = operation({
  operationId: 'listOffers',
  summary: 'List offers',
  description:
    'All offers of the workspace, or those that match the filters. Continue with `cursor` while `page.next_cursor` is not null; a late page costs as much as the first.',
  tag: 'Offers',
  query: offersQuery,
  outcomes: { 200: 'A page of offers; empty when none matches.' },
  answers: { 200: offersAnswer },
  fails: [],
  addition: true,
  async handle({ query: { limit, cursor, sort, ...filters }, tenant }) {
    return answer(200, await listPage(offerList, tenant, { limit, cursor, sort }, filters));
  },
});

export const getOffer = operation({
  operationId: 'getOffer',
  summary: 'Read an offer',
  description: 'Use it also after a 409, to check the earlier request or the current status.',
  tag: 'Offers',
  params: offerParams,
  outcomes: { 200: 'The offer.' },
  answers: { 200: offerAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    return answerOne(200, found(await tenant.row(findOffer, { id }), `Offer ${id}`));
  },
});

export const patchOffer = operation({
  operationId: 'updateOffer',
  summary: 'Change an offer',
  description:
    'Pipeline status, value, probability, owner or company; omitted fields are preserved. An accepted offer gets weight 100, and a lower one supplied is ignored while it is accepted. When the status changed during this request, nothing is changed and the answer is 409: read the offer before retrying. Sends no email and adds nothing to the timeline.',
  tag: 'Offers',
  params: offerParams,
  body: offerUpdate,
  outcomes: { 200: 'The offer as it is now.' },
  answers: { 200: offerAnswer },
  etag: true,
  fails: ['not_found', 'invalid_reference', 'status_conflict'],
  async handle({ params: { id }, body, tenant, match }) {
    let seen: StoredOffer | undefined;
    if (body.status || body.user_id || body.company_id) {
      seen = found(await tenant.row(findOffer, { id }), `Offer ${id}`);
      requireMatch(seen.etag, match, `Offer ${id}`);
      await checkReferences(tenant, body);
    }
    const data = await tenant.row(updateOffer, {
      ...patchParameters(OFFER_CHANGEABLE, body),
      id,
      seen_status: seen?.status ?? null,
      if_match: match,
    });
    if (data) return answerOne(200, data);
    found(await tenant.row(findOffer, { id }), `Offer ${id}`);
    throw seen && !match ? statusConflict(id) : missed(match, `Offer ${id}`);
  },
});

function statusConflict(id: string): Problem {
  return new Problem(
    'status_conflict',
    `The status of offer ${id} changed during this request; nothing was changed. Read the offer before retrying`,
  );
}
