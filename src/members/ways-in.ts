import { sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../db/connect.ts';
import { reading, statement } from '../db/statement.ts';
import { timestamp } from '../http/fields.ts';

export const passkey = z.strictObject({
  id: z.string(),
  name: z.string(),
  transports: z.array(z.string()),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
});

export const listPasskeys = reading(
  'list passkeys',
  (p: { user_id: string }) => sql<z.output<typeof passkey>>`
    select id, name, transports, created_at, last_used_at from passkeys
    where user_id = ${p.user_id} order by created_at, id limit 100`,
);

export const listIdentities = reading(
  'list identities',
  (p: { user_id: string }) => sql<WaysIn['identities'][number]>`
    select issuer, created_at from identities where user_id = ${p.user_id} order by created_at limit 100`,
);

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

const HAS_OWN_WAY_IN = sql<boolean>`(u.password_hash is not null
  or exists (select from passkeys k where k.user_id = u.id))`;

/** Whether the person `u` has an account, also if it is at a provider that is switched off. */
export const HAS_WAY_IN = sql<boolean>`(${HAS_OWN_WAY_IN}
  or exists (select from identities i where i.user_id = u.id))`;

/** Whether a person can sign in without an identity provider. */
export const hasOwnWayIn = statement(
  'has own way in',
  (p: { user_id: string }) => sql<{ id: string }>`
    select u.id from users u where u.id = ${p.user_id} and ${HAS_OWN_WAY_IN}`,
);

const deletePasskeys = statement(
  'delete passkeys',
  (p: { user_id: string }) => sql<{ id: string }>`
    delete from passkeys where user_id = ${p.user_id} returning id`,
);

export const deleteIdentities = statement(
  'delete identities',
  (p: { user_id: string }) => sql<{ issuer: string }>`
    delete from identities where user_id = ${p.user_id} returning issuer`,
);

/** How a person signs in without a password. */
export const waysIn = z.strictObject({
  passkeys: z.array(passkey.omit({ id: true, transports: true })),
  identities: z.array(z.strictObject({ issuer: z.string(), created_at: timestamp })),
});

export type WaysIn = z.output<typeof waysIn>;

export async function listOtherWays(db: Queryable, user_id: string): Promise<WaysIn> {
  const passkeys = await db.rows(listPasskeys, { user_id });
  return {
    passkeys: passkeys.map(({ id: _id, transports: _transports, ...named }) => named),
    identities: await db.rows(listIdentities, { user_id }),
  };
}

/** Leaves the password as the only way to sign in. */
export async function removeOtherWays(transaction: Queryable, user_id: string) {
  return {
    removed_passkeys: (await transaction.rows(deletePasskeys, { user_id })).length,
    removed_identities: (await transaction.rows(deleteIdentities, { user_id })).length,
  };
}
