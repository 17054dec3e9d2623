import { call, type CallOptions, type CallResult } from '../../client/call.ts';
import { Explained, mayBeDone } from '../../client/problem.ts';
import { useWords } from '../../words/dictionary.ts';
import { words } from './words.ts';

export type Key = Extract<CallResult<'GET /keys'>, { status: 200 }>['data']['data'][number];
export type NewKey = Extract<CallResult<'POST /keys'>, { status: 201 }>['data']['data'];
export type Permission = CallOptions<'POST /keys'>['body']['permissions'][number];

/** The name, or the id of a key that was created without one. */
export function nameOf({ id, name }: { id: string; name: string }): string {
  return name || id;
}

/** In the order in which the grid shows them. */
export const RESOURCES = ['companies', 'contacts', 'tasks', 'offers'] as const;
export type Resource = (typeof RESOURCES)[number];

export const ACCESSES = ['read', 'write'] as const;
type Access = (typeof ACCESSES)[number];

export function permissionOf(resource: Resource, access: Access): Permission {
  return `${resource}:${access}`;
}

/** What a key may do with a resource, as one word of the dictionary; undefined for nothing. */
export function accessTo(
  resource: Resource,
  permissions: readonly Permission[],
): Access | 'both' | undefined {
  const [read, write] = ACCESSES.map((access) => permissions.includes(permissionOf(resource, access)));
  if (read && write) return 'both';
  if (read) return 'read';
  return write ? 'write' : undefined;
}

/** Gives a function that creates a key. */
export function useCreateKey(): (body: CallOptions<'POST /keys'>['body']) => Promise<NewKey> {
  const { maybeCreated } = useWords(words);
  return (body) => newKeyOf(call('POST /keys', { body }), maybeCreated);
}

/**
 * Only the answer has the key itself, so a request whose answer was lost is not repeated: the list of keys shows
 * whether there is a new one.
 * @param lost the message when the answer was lost
 */
export async function newKeyOf(answer: Promise<{ data: { data: NewKey } }>, lost: string): Promise<NewKey> {
  try {
    return (await answer).data.data;
  } catch (error) {
    throw mayBeDone(error) ? new Explained(lost) : error;
  }
}
