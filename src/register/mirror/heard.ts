import { sql as raw, type RawBuilder } from 'kysely';
import { builder, statement } from '../../db/statement.ts';

/** Rows of register_heard: when the register last said something new about a number. */
export type Heard = { orgnr: string; as_of: string };

const sql = builder<{ register_heard: Heard }>();

/** Far longer than any look-up takes. */
const REMEMBERED = '1 day';

/** Few enough that nobody waits long for the locks. */
const FORGOTTEN_AT_ONCE = 1_000;

/**
 * A common table expression that holds the number while nothing newer than `asOf` was heard of it, and nothing
 * otherwise. It waits for whoever writes about the same number: of two writers one sees what the other did.
 */
export function notOvertaken(orgnr: string, asOf: string | null): RawBuilder<{ orgnr: string }> {
  return raw`(insert into register_heard (orgnr, as_of)
    select ${orgnr}, 'epoch' where ${asOf}::timestamptz is not null
    on conflict (orgnr) do update set as_of = register_heard.as_of where register_heard.as_of <= ${asOf}::timestamptz
    returning orgnr)`;
}

/** The database's clock, which all processes of an installation share. */
export const readClock = statement('read clock', () =>
  sql.selectNoFrom(raw<string>`clock_timestamp()`.as('now')),
);

/** What a look-up heard; nothing comes back when something newer was heard before. */
export const hearLookUp = statement('hear look-up', (p: { orgnr: string; as_of: string }) =>
  sql
    .insertInto('register_heard')
    .values({ orgnr: p.orgnr, as_of: p.as_of })
    .onConflict((conflict) =>
      conflict
        .column('orgnr')
        .doUpdateSet({ as_of: p.as_of })
        .where(raw<boolean>`register_heard.as_of <= ${p.as_of}::timestamptz`),
    )
    .returning('orgnr'),
);

/** What the feed said just now; look-ups that were asked before are overtaken. In order, so that none deadlock. */
export const hearFeed = statement('hear feed', (p: { orgnrs: string[] }) =>
  sql
    .insertInto('register_heard')
    .columns(['orgnr', 'as_of'])
    .expression(
      sql
        .selectFrom(raw<{ orgnr: string }>`unnest(${p.orgnrs}::text[])`.as<'named'>(raw`named (orgnr)`))
        .select(['named.orgnr', raw<string>`clock_timestamp()`.as('as_of')])
        .orderBy('named.orgnr'),
    )
    .onConflict((conflict) =>
      conflict.column('orgnr').doUpdateSet({
        as_of: raw<string>`greatest(register_heard.as_of, excluded.as_of)`,
      }),
    ),
);

/** Forgets a batch of what is old; comes back with what was forgotten. */
export const forgetHeard = statement('forget heard', () =>
  sql
    .deleteFrom('register_heard')
    .where(
      'orgnr',
      'in',
      sql
        .selectFrom('register_heard')
        .select('orgnr')
        .where('as_of', '<', raw<string>`now() - ${raw.lit(REMEMBERED)}::interval`)
        .limit(FORGOTTEN_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .returning('orgnr'),
);
