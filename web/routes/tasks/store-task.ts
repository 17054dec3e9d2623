import { call, type CallOptions } from '../../client/call.ts';
import { createOrCorrect, type Tries } from '../../client/create-unless-there.ts';

export type NewTask = Omit<CallOptions<'POST /tasks'>['body'], 'id'>;

/** Stores a new task as `createOrCorrect` does. */
export function storeTask(body: NewTask, tries: Tries, name?: string): Promise<string> {
  return createOrCorrect(body, tries, name, {
    create: (id, idempotencyKey) => call('POST /tasks', { body: { id, ...body }, idempotencyKey }),
    read: (id) => call('GET /tasks/{id}', { params: { id } }),
    correct: (id) => call('PATCH /tasks/{id}', { params: { id }, body }),
  });
}
