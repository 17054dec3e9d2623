import { sql } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { reading, statement } from '../db/statement.ts';
import { HAS_OWN_WAY_IN } from '../members/ways-in.ts';
import { deletePasskeys } from './passkey-store.ts';

export const findIdentity = reading(
  'find identity',
  (p: { issuer: string; subject: string }) => sql<{ user_id: string }>`
    select user_id from identities where issuer = ${p.issuer} and subject = ${p.subject}`,
);

/** Returns no row when the account is already linked. */
export const insertIdentity = statement(
  'insert identity',
  (p: { issuer: string; subject: string; user_id: string }) => sql<{ user_id: string }>`
    insert into identities (issuer, subject, user_id) values (${p.issuer}, ${p.subject}, ${p.user_id})
    on conflict do nothing returning user_id`,
);

/** Whether a person can sign in without an identity provider. */
export const hasOwnWayIn = statement(
  'has own way in',
  (p: { user_id: string }) => sql<{ id: string }>`
    select u.id from users u where u.id = ${p.user_id} and ${HAS_OWN_WAY_IN}`,
);

export const deleteIdentities = statement(
  'delete identities',
  (p: { user_id: string }) => sql<{ issuer: string }>`
    delete from identities where user_id = ${p.user_id} returning issuer`,
);

/** Leaves the password as the only way to sign in. */
export async function removeOtherWays(transaction: Queryable, user_id: string) {
  return {
    removed_passkeys: (await transaction.rows(deletePasskeys, { user_id })).length,
    removed_identities: (await transaction.rows(deleteIdentities, { user_id })).length,
  };
}
