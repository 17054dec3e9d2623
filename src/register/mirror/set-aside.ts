import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';

// A row without failures holds the number of a company that an import lacked: see `lookUpOnce`.

/**
 * Sets numbers aside that cannot be looked up while others can.
 * @param p.failed JSON of `{ orgnr, error }`, set aside for five minutes, then twice as long each time, at most a day
 */
export const setAside = statement(
  'set aside',
  (p: { failed: string }) => sql`
    insert into register_set_aside as aside (orgnr, failures, first_failed_at, retry_at, last_error)
    select orgnr, 1, now(), now() + interval '5 minutes', error
    from jsonb_to_recordset(${p.failed}::jsonb) as failed (orgnr text, error text)
    on conflict (orgnr) do update set
      failures = aside.failures + 1,
      first_failed_at = case when aside.failures > 0 then aside.first_failed_at else now() end,
      retry_at = now() + least(interval '1 day', interval '5 minutes' * 2 ^ least(aside.failures, 10)),
      last_error = excluded.last_error`,
);

/**
 * Lets the next syncs look up those of these numbers that the mirror lacks, each number once: from the first import on,
 * the feeds name every change. Removed numbers are included, since the register may have them again, but not within a
 * week of the removal: the register's look-ups may be behind its feed.
 */
export const lookUpOnce = statement(
  'look up once what the mirror lacks',
  (p: { orgnrs: readonly string[] }) => sql`
    insert into register_set_aside (orgnr, failures, first_failed_at, retry_at, last_error)
    select orgnr, 0, now(), now(), 'the mirror lacks it' from unnest(${p.orgnrs}::text[]) as given (orgnr)
    where not exists (select from register_units as unit where unit.orgnr = given.orgnr)
      and not exists (select from register_removed as removed
        where removed.orgnr = given.orgnr and removed.removed_at > now() - interval '7 days')
    on conflict (orgnr) do nothing`,
);

/** For numbers that have been read. Those of `lookUpOnce` stay, so that they are not looked up again. */
export const clearSetAside = statement(
  'clear set aside',
  (p: { orgnrs: string[] }) => sql`
    with looked_up as (
      update register_set_aside set retry_at = 'infinity' where orgnr = any(${p.orgnrs}::text[]) and failures = 0)
    delete from register_set_aside where orgnr = any(${p.orgnrs}::text[]) and failures > 0`,
);

/** Numbers to look up again, the longest due first; then those to look up once. */
export const listDue = statement(
  'list set aside due',
  (p: { limit: number }) => sql<{ orgnr: string }>`
    select orgnr from register_set_aside where retry_at <= now() order by failures = 0, retry_at limit ${p.limit}`,
);

/** Those that failed most often come first. */
export const listSetAside = statement(
  'list set aside',
  (p: { limit: number }) => sql<object>`
    select orgnr, failures, first_failed_at, retry_at, last_error
    from register_set_aside where failures > 0 order by failures desc, orgnr limit ${p.limit}`,
);

export const countSetAside = statement(
  'count set aside',
  () => sql<{ count: number }>`select count(*) as count from register_set_aside where failures > 0`,
);
