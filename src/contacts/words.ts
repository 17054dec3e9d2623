import { sql, type RawBuilder } from 'kysely';
import type { Words } from '../db/search.ts';

/** Words of names, addresses and numbers: what contacts are searched by. */
export const words: Words = { table: 'contact_words', owner: 'contact_id', more: { point_id: sql`0` } };

/** A common table expression that adds the word of a point that was added, which `written` returns. */
export const wordOfNewPoint: RawBuilder<unknown> = sql`words as (
  insert into contact_words (tenant_id, contact_id, point_id, word)
  select tenant_id, contact_id, id, word from written where word is not null)`;
