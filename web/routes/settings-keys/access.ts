import type { CallOptions, CallResult } from '../../client/call.ts';

export type Key = Extract<CallResult<'GET /keys'>, { status: 200 }>['data']['data'][number];
export type NewKey = Extract<CallResult<'POST /keys'>, { status: 201 }>['data']['data'];
export type Permission = CallOptions<'POST /keys'>['body']['permissions'][number];

/** In the order of the grid. */
export const RESOURCES = ['companies', 'contacts', 'tasks', 'offers'] as const;
export type Resource = (typeof RESOURCES)[number];

export const ACCESSES = ['read', 'write'] as const;
export type Access = (typeof ACCESSES)[number];

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
