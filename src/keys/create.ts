import type { Queryable } from '../db/connect.ts';
import { digestOf, newKey } from './key.ts';
import { insertKey, type NewKey } from './store.ts';

export type CreatedKey = { key_id: string; key: string; permissions: number };

/**
 * Creates a key for a member of a workspace. The token is in the answer and nowhere else.
 * @returns undefined when the user is not a member of the workspace now
 * @param options.expires_at ISO 8601 in UTC, or null for a key that does not expire
 */
export async function createKey(
  db: Queryable,
  options: Omit<NewKey, 'id' | 'digest'>,
  { id, token } = newKey(),
): Promise<CreatedKey | undefined> {
  const inserted = await db.row(insertKey, { ...options, id, digest: digestOf(token) });
  return inserted && { key_id: id, key: token, permissions: options.permissions };
}
