import { sql } from 'kysely';
import { reading, statement } from '../db/statement.ts';

type Key = { issuer: string; subject: string };

export const findIdentity = reading(
  'find identity',
  (p: Key) => sql<{ user_id: string }>`
    select user_id from identities where issuer = ${p.issuer} and subject = ${p.subject}`,
);

/** Nothing comes back when the account is linked already. */
export const insertIdentity = statement(
  'insert identity',
  (p: Key & { user_id: string }) => sql<{ user_id: string }>`
    insert into identities (issuer, subject, user_id) values (${p.issuer}, ${p.subject}, ${p.user_id})
    on conflict do nothing returning user_id`,
);
