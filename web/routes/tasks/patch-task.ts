import { call, type CallOptions, type CallResult } from '../../client/call.ts';
import { isConflict } from '../../client/problem.ts';

export type TaskChange = NonNullable<CallOptions<'PATCH /tasks/{id}'>['body']>;
type Answer = CallResult<'PATCH /tasks/{id}'>;

/** By task: the last write, and the ETags of the state that was shown and of those that own writes have made of it. */
const writes = new Map<string, { last: Promise<unknown>; states: Set<string> }>();

/**
 * Changes a task once the changes that this page sent of it before have been answered.
 * @param task as it was shown
 * @param isChecked whether the change is refused if somebody else has changed the task since
 */
export function patchTask(
  { id, etag }: { id: string; etag: string },
  body: TaskChange,
  { isChecked = false } = {},
): Promise<Answer> {
  const own = writes.get(id) ?? { last: Promise.resolve(), states: new Set() };
  writes.set(id, own);
  const send = (ifMatch?: string) =>
    call('PATCH /tasks/{id}', { params: { id }, body, ...(ifMatch !== undefined && { ifMatch }) });
  const next = own.last.then(async () => {
    const shown = `"${etag}"`;
    if (!own.states.has(shown)) own.states = new Set([shown]);
    const answer = await send([...own.states].at(-1)).catch((error: unknown) => {
      if (isChecked || !isConflict(error)) throw error;
      // The answer of the second try has somebody else's change: an edit of the state before may not write over it.
      own.states = new Set();
      return send();
    });
    if (answer.etag !== undefined) own.states.add(answer.etag);
    return answer;
  });
  own.last = next.catch(() => {});
  return next;
}
