import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';

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
      retry_at = now() + least(interval '1 day', interval '5 minutes' * 2 ^ least(aside.failures, 10)),
      last_error = excluded.last_error`,
);

export const clearSetAside = statement(
  'clear set aside',
  (p: { orgnrs: string[] }) => sql`delete from register_set_aside where orgnr = any(${p.orgnrs}::text[])`,
);

/** Numbers to look up again, the longest due first. */
export const listDue = statement(
  'list set aside due',
  (p: { limit: number }) => sql<{ orgnr: string }>`
    select orgnr from register_set_aside where retry_at <= now() order by retry_at limit ${p.limit}`,
);

/** Those that failed most often come first. */
export const listSetAside = statement(
  'list set aside',
  (p: { limit: number }) => sql<object>`
    select orgnr, failures, first_failed_at, retry_at, last_error
    from register_set_aside order by failures desc, orgnr limit ${p.limit}`,
);

export const countSetAside = statement(
  'count set aside',
  () => sql<{ count: number }>`select count(*) as count from register_set_aside`,
);
