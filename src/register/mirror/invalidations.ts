import { sql, type RawBuilder } from 'kysely';
import { builder, statement } from '../../db/statement.ts';

/** Rows of register_invalidations: look-ups of a number that were asked before `at` must not be written. */
export type Invalidation = { orgnr: string; at: string };

const query = builder<{ register_invalidations: Invalidation }>();

/** Far longer than any look-up takes. */
const KEPT_FOR = '1 day';

/** Few enough that nobody waits long for the locks. */
const DELETED_AT_ONCE = 1_000;

/**
 * A common table expression with one row while what was known of the number at `asOf` is valid, and none
 * otherwise. It locks the number: of two writers, the later one sees what the other did.
 */
export function lockIfStillValid(orgnr: string, asOf: string | null): RawBuilder<{ orgnr: string }> {
  return sql`(insert into register_invalidations (orgnr, at)
    select ${orgnr}, 'epoch' where ${asOf}::timestamptz is not null
    on conflict (orgnr) do update set at = register_invalidations.at
      where register_invalidations.at <= ${asOf}::timestamptz
    returning orgnr)`;
}

/** The database's clock, which all processes of an installation share. */
export const readClock = statement('read clock', () =>
  query.selectNoFrom(sql<string>`clock_timestamp()`.as('now')),
);

/** Invalidates look-ups older than this one; nothing comes back when this one is invalid itself. */
export const invalidateOlder = statement('invalidate older look-ups', (p: { orgnr: string; as_of: string }) =>
  query
    .insertInto('register_invalidations')
    .values({ orgnr: p.orgnr, at: p.as_of })
    .onConflict((conflict) =>
      conflict
        .column('orgnr')
        .doUpdateSet({ at: p.as_of })
        .where(sql<boolean>`register_invalidations.at <= ${p.as_of}::timestamptz`),
    )
    .returning('orgnr'),
);

/** Invalidates every look-up asked before now. In order of number, so that two of these do not deadlock. */
export const invalidateLookUps = statement('invalidate look-ups', (p: { orgnrs: string[] }) =>
  query
    .insertInto('register_invalidations')
    .columns(['orgnr', 'at'])
    .expression(
      query
        .selectFrom(sql<{ orgnr: string }>`unnest(${p.orgnrs}::text[])`.as<'named'>(sql`named (orgnr)`))
        .select(['named.orgnr', sql<string>`clock_timestamp()`.as('at')])
        .orderBy('named.orgnr'),
    )
    .onConflict((conflict) =>
      conflict.column('orgnr').doUpdateSet({
        at: sql<string>`greatest(register_invalidations.at, excluded.at)`,
      }),
    ),
);

/** Deletes a batch of what is old; comes back with what was deleted. */
export const deleteOldInvalidations = statement('delete old invalidations', () =>
  query
    .deleteFrom('register_invalidations')
    .where(
      'orgnr',
      'in',
      query
        .selectFrom('register_invalidations')
        .select('orgnr')
        .where('at', '<', sql<string>`now() - ${sql.lit(KEPT_FOR)}::interval`)
        .limit(DELETED_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .returning('orgnr'),
);
