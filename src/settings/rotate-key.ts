import type { Queryable } from '../db/connect.ts';
import { Problem } from '../http/problem.ts';
import { createKey, type CreatedKey } from '../keys/create.ts';
import { newKey } from '../keys/key.ts';
import { notifyOfKeys } from '../keys/store.ts';
import { replaceKey, type KeyRow } from './key-store.ts';

const HOUR_MS = 60 * 60_000;

/**
 * Creates a key like `old` and ends `old` after some hours, both or neither. The new one lasts as long as the old one
 * was made to last. Called in a transaction.
 * @throws {Problem} key_ended
 */
export async function rotateKey(
  transaction: Queryable,
  workspace: string,
  old: KeyRow,
  overlapHours: number,
): Promise<CreatedKey> {
  const now = Date.now();
  const lifetime = old.expires_at === null ? null : Date.parse(old.expires_at) - Date.parse(old.created_at);
  const end = Math.min(
    now + overlapHours * HOUR_MS,
    old.expires_at === null ? Infinity : Date.parse(old.expires_at),
  );
  const successor = newKey();
  // First, so that of two who replace one key the second waits for the first, on Citus too.
  const replaced = await transaction.row(replaceKey, {
    tenant: workspace,
    id: old.id,
    replaced_by: successor.id,
    ...(overlapHours === 0
      ? { expires_at: old.expires_at, revoked_at: toText(now) }
      : { expires_at: toText(end), revoked_at: null }),
  });
  const made = {
    tenant: workspace,
    user_id: old.user_id,
    permissions: old.permissions,
    name: old.name,
    expires_at: lifetime === null ? null : toText(now + lifetime),
  };
  const created = replaced && (await createKey(transaction, made, successor));
  if (!created) {
    throw new Problem(
      'key_ended',
      `Key ${old.id} has ended or was replaced: create a new one, or replace its successor`,
    );
  }
  await transaction.rows(notifyOfKeys, { tenant: workspace, ids: [old.id] });
  return created;
}

function toText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
