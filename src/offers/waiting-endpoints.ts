import { z } from 'zod';
import { answer, operation } from '../http/endpoint.ts';
import { limitOf } from '../http/paging.ts';
import { userId } from '../members/schema.ts';
import { findWaitingOffers, waitingOffer } from './waiting.ts';

export const getWaitingOffers = operation({
  operationId: 'listWaitingOffers',
  summary: 'Open offers that have waited longest',
  description: 'Those that have had their status longest come first.',
  query: z.strictObject({
    user_id: userId.optional().meta({ description: 'Offers of this user; of everybody when absent.' }),
    limit: limitOf({ max: 25, usual: 5 }),
  }),
  answers: { 200: z.strictObject({ data: z.array(waitingOffer) }) },
  fails: [],
  async handle({ query: { user_id = null, limit }, tenant }) {
    return answer(200, { data: await tenant.rows(findWaitingOffers, { user_id, limit }) });
  },
});
