import { readClock } from '../db/clock.ts';
import type { Queryable } from '../db/connect.ts';
import { Problem } from '../http/problem.ts';
import { createKey, type CreatedKey } from '../keys/create.ts';
import { newKey } from '../keys/key.ts';
import { notifyOfKeys } from '../keys/store.ts';
import { replaceKey, type KeyRow } from './key-store.ts';

/** The last instant that the API accepts. */
const LAST = Temporal.Instant.from('9999-12-31T23:59:59.999Z');

/**
 * Creates a key like `old` and ends `old` after some hours, both or neither. The new one has the lifetime that the
 * old one was created with. Called in a transaction.
 * @throws {Problem} key_ended
 */
export async function rotateKey(
  transaction: Queryable,
  workspace: string,
  old: KeyRow,
  overlapHours: number,
): Promise<CreatedKey> {
  // By PostgreSQL's clock, which will end the keys.
  const now = Temporal.Instant.from(await readClock(transaction));
  const expiry = old.expires_at === null ? null : Temporal.Instant.from(old.expires_at);
  const overlapEnd = now.add({ hours: overlapHours });
  const end = expiry ? earlier(expiry, overlapEnd) : overlapEnd;
  const successor = newKey();
  // First, so that of two requests that replace one key the second waits for the first, on Citus too.
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
    expires_at: expiry && toText(earlier(now.add(expiry.since(old.created_at)), LAST)),
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

function earlier(one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant {
  return Temporal.Instant.compare(one, other) < 0 ? one : other;
}

function toText(instant: Temporal.Instant): string {
  return instant.toString({ fractionalSecondDigits: 3 });
}
