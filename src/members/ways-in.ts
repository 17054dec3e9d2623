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

/** The most passkeys of a person. All are listed, since one that is not shown could not be removed. */
export const MAX_PASSKEYS = 100;

export const listPasskeys = reading(
  'list passkeys',
  (p: { user_id: string }) => sql<z.output<typeof passkey>>`
    select id, name, transports, created_at, last_used_at from passkeys
    where user_id = ${p.user_id} order by created_at, id limit ${sql.lit(MAX_PASSKEYS)}`,
);

export const listIdentities = reading(
  'list identities',
  (p: { user_id: string }) => sql<WaysIn['identities'][number]>`
    select issuer, created_at from identities where user_id = ${p.user_id} order by created_at limit 100`,
);

/** Whether the person `u` can sign in without an identity provider. */
export const HAS_OWN_WAY_IN = sql<boolean>`(u.password_hash is not null
  or exists (select from passkeys k where k.user_id = u.id))`;

/** Whether the person `u` has an account: any way to sign in, even if only at a provider that is switched off. */
export const HAS_WAY_IN = sql<boolean>`(${HAS_OWN_WAY_IN}
  or exists (select from identities i where i.user_id = u.id))`;

/** Returns a row for a person who has an account. */
export const findWithWayIn = statement(
  'find person with a way in',
  (p: { user_id: string }) => sql<{ id: string }>`
    select u.id from users u where u.id = ${p.user_id} and ${HAS_WAY_IN}`,
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
