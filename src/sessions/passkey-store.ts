import { sql } from 'kysely';
import { reading, statement } from '../db/statement.ts';

type StoredPasskey = {
  id: string;
  user_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
};

export const findPasskey = reading(
  'find passkey',
  (p: { id: string }) => sql<StoredPasskey>`
    select id, user_id, public_key, counter, transports from passkeys where id = ${p.id}`,
);

/** Returns no row for one that is already known. */
export const insertPasskey = statement(
  'insert passkey',
  (p: StoredPasskey & { name: string }) => sql<{ id: string }>`
    insert into passkeys (id, user_id, public_key, counter, transports, name)
    values (${p.id}, ${p.user_id}, ${p.public_key}, ${p.counter}, ${p.transports}, ${p.name})
    on conflict (id) do nothing returning id`,
);

/** A counter that does not grow indicates a copied authenticator; authenticators that do not count stay at 0. */
export const usePasskey = statement(
  'use passkey',
  (p: { id: string; counter: number }) => sql<{ id: string }>`
    update passkeys set counter = ${p.counter}, last_used_at = now()
    where id = ${p.id} and (counter < ${p.counter} or (counter = 0 and ${p.counter} = 0)) returning id`,
);

export const deletePasskey = statement(
  'delete passkey',
  (p: { user_id: string; id: string }) => sql<{ id: string }>`
    delete from passkeys where user_id = ${p.user_id} and id = ${p.id} returning id`,
);

export const deletePasskeys = statement(
  'delete passkeys',
  (p: { user_id: string }) => sql<{ id: string }>`
    delete from passkeys where user_id = ${p.user_id} returning id`,
);
