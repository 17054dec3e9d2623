import { call, type CallOptions, type CallResult } from '../../client/call.ts';

export type TaskChange = NonNullable<CallOptions<'PATCH /tasks/{id}'>['body']>;
type Answer = CallResult<'PATCH /tasks/{id}'>;

/** By task: the write that the next one waits for, and the states that own writes alone have led from one to another. */
const writes = new Map<string, { last: Promise<unknown>; states: Set<string> }>();

/**
 * Changes a task once its earlier changes from here are answered.
 * @param task as it was shown
 * @param isChecked refused where somebody else has changed the task since
 */
export function patchTask(
  { id, etag }: { id: string; etag: string },
  body: TaskChange,
  { isChecked = false } = {},
): Promise<Answer> {
  const own = writes.get(id) ?? { last: Promise.resolve(), states: new Set() };
  writes.set(id, own);
  const next = own.last.then(async () => {
    const shown = `"${etag}"`;
    if (!own.states.has(shown)) own.states = new Set([shown]);
    const ifMatch = [...own.states].at(-1)!;
    const answer = await call('PATCH /tasks/{id}', {
      params: { id },
      body,
      ...(isChecked && { ifMatch }),
    });
    if (answer.etag !== undefined) own.states.add(answer.etag);
    return answer;
  });
  own.last = next.catch(() => {});
  return next;
}
