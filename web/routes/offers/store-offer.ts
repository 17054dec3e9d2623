import { call, type CallOptions } from '../../client/call.ts';
import { createOrCorrect, type Tries } from '../../client/create-unless-there.ts';

/** Stores a new offer through `createOrCorrect`. */
export function storeOffer(
  body: Omit<CallOptions<'POST /offers'>['body'], 'id'>,
  tries: Tries,
  name?: string,
): Promise<string> {
  return createOrCorrect(body, tries, name, {
    create: (id, idempotencyKey) => call('POST /offers', { body: { id, ...body }, idempotencyKey }),
    read: (id) => call('GET /offers/{id}', { params: { id } }),
    correct: (id) => call('PATCH /offers/{id}', { params: { id }, body }),
  });
}
