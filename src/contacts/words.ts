import { sql, type RawBuilder } from 'kysely';
import type { Words } from '../db/search.ts';

/** The words that contacts are searched by: those of names, email addresses and numbers. */
export const contactWords: Words = {
  table: 'contact_words',
  owner: 'contact_id',
  rows: 'contacts',
  addresses: { table: 'contact_points', first: sql`first_word(w.word)`, are: sql`w.type = 'email'` },
  more: { point_id: sql`0` },
};

/** Removes the word of a point that `gone` returns. */
export const wordOfGonePoint = (tenant: string) => sql`words as (
  delete from contact_words as w using gone
  where w.tenant_id = ${tenant} and w.contact_id = gone.contact_id and w.point_id = gone.id)`;

/** Replaces the word of a changed point; `before` and `written` return its old and new state. */
export const wordOfChangedPoint = (tenant: string): RawBuilder<unknown>[] => [
  sql`gone_word as (
    delete from contact_words as w using before, written
    where before.id = written.id and before.word is distinct from written.word
      and w.tenant_id = ${tenant} and w.contact_id = before.contact_id and w.point_id = before.id
      and w.word = before.word)`,
  sql`new_word as (
    insert into contact_words (tenant_id, contact_id, point_id, word)
    select written.tenant_id, written.contact_id, written.id, written.word from written, before
    where before.id = written.id and written.word is not null and before.word is distinct from written.word)`,
];

/** A common table expression that adds the word of a new point, which `written` returns. */
export const wordOfNewPoint: RawBuilder<unknown> = sql`words as (
  insert into contact_words (tenant_id, contact_id, point_id, word)
  select tenant_id, contact_id, id, word from written where word is not null)`;
