import { sql, type RawBuilder } from 'kysely';
import { statement } from '../../db/statement.ts';

/**
 * SQL with one row while an answer of the time `asOf` is valid, and none otherwise. It locks the number: of two
 * writers, the later one sees what the other wrote. Null stands for an answer that cannot become invalid: the SQL then
 * has no row and locks nothing.
 */
export function lockIfStillValid(orgnr: string, asOf: string | null): RawBuilder<{ orgnr: string }> {
  return sql`(insert into register_invalidations (orgnr, at)
    select ${orgnr}, 'epoch' where ${asOf}::timestamptz is not null
    on conflict (orgnr) do update set at = register_invalidations.at
      where register_invalidations.at <= ${asOf}::timestamptz
    returning orgnr)`;
}

/** Locks the number of a look-up; returns no row when its answer is no longer valid. */
export const lockLookUp = statement(
  'lock look-up',
  (p: { orgnr: string; as_of: string }) => sql<{ orgnr: string }>`
    with still_valid as ${lockIfStillValid(p.orgnr, p.as_of)} select orgnr from still_valid`,
);

/** Invalidates answers older than this one; returns no row when this one is invalid itself. */
export const invalidateOlder = statement(
  'invalidate older look-ups',
  (p: { orgnr: string; as_of: string }) => sql<{ orgnr: string }>`
    insert into register_invalidations as invalidation (orgnr, at) values (${p.orgnr}, ${p.as_of})
    on conflict (orgnr) do update set at = excluded.at where invalidation.at <= excluded.at
    returning orgnr`,
);

/** Invalidates every answer so far. Writes in order of number, so that two of these statements do not deadlock. */
export const invalidateLookUps = statement(
  'invalidate look-ups',
  (p: { orgnrs: string[] }) => sql`
    insert into register_invalidations as invalidation (orgnr, at)
    select orgnr, clock_timestamp() from unnest(${p.orgnrs}::text[]) as orgnr order by orgnr
    on conflict (orgnr) do update set at = greatest(invalidation.at, excluded.at)`,
);

/** A day is far longer than any look-up takes. A time in the future comes from a clock that was later set back. */
export const deleteOldInvalidations = statement(
  'delete old invalidations',
  (p: { batch: number }) => sql<{ orgnr: string }>`
    delete from register_invalidations where orgnr in (
      select orgnr from register_invalidations where at < now() - interval '1 day' or at > now() + interval '1 day'
      limit ${p.batch} for update skip locked)
    returning orgnr`,
);
