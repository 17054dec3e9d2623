import { answer, answerOne, noContent, operation } from '../http/endpoint.ts';
import { found, notFound, preconditionFailed } from '../http/problem.ts';
import { offerAnswer, offerParams } from './schema.ts';
import { deleteOffer, findOffer, restoreOffer } from './store.ts';

export const removeOffer = operation({
  operationId: 'deleteOffer',
  summary: 'Delete an offer',
  description: 'It can be restored; its id stays used.',
  params: offerParams,
  answers: { 204: noContent },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { id }, tenant, match }) {
    if (await tenant.row(deleteOffer, { id, if_match: match })) return answer(204, undefined);
    if (await tenant.row(findOffer, { id })) throw preconditionFailed(`Offer ${id}`);
    throw notFound(`Offer ${id}`);
  },
});

export const bringBackOffer = operation({
  operationId: 'restoreOffer',
  summary: 'Restore a deleted offer',
  description: 'As it was. One that is there already stays as it is.',
  params: offerParams,
  answers: { 200: offerAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    const offer = (await tenant.row(restoreOffer, { id })) ?? (await tenant.row(findOffer, { id }));
    return answerOne(200, found(offer, `Offer ${id}`));
  },
});
