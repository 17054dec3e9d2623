import { sql } from 'kysely';
import { builder, statement } from '../../db/statement.ts';
import type { Kind } from '../register.ts';

/** The row of register_mirror: there is one after the first import. */
export type MirrorState = {
  imported_at: string;
  current_at: string;
  companies_refreshed: boolean;
  synced_at: string | null;
  last_error: string | null;
  last_error_at: string | null;
};

/** A mirror that was brought up to date longer ago than this is not relied upon: milliseconds. */
const CURRENT_FOR = 2 * 24 * 3_600_000;

/** @param currentAt the mirror's, ISO 8601 */
export function isRecent(currentAt: string): boolean {
  return Date.now() - Date.parse(currentAt) < CURRENT_FOR;
}

/** Rows of register_feeds: how far a feed has been followed. */
export type FeedState = {
  kind: Kind;
  last_id: number | null;
  /** The date of that entry; null where it is not known. */
  last_at: string | null;
  since: string;
  stated: StatedCounts;
};

/** Of units that changed: how many stated a field before, and how many after. */
export type StatedCounts = Record<string, { before: number; after: number }>;

/** Rows of register_set_aside: numbers that cannot be looked up while others can. */
export type SetAside = {
  orgnr: string;
  failures: number;
  first_failed_at: string;
  retry_at: string;
  last_error: string;
};

const query = builder<{
  register_mirror: MirrorState;
  register_feeds: FeedState;
  register_set_aside: SetAside;
}>();

export const findMirror = statement('find mirror', () =>
  query
    .selectFrom('register_mirror')
    .select(['imported_at', 'current_at', 'companies_refreshed', 'synced_at', 'last_error', 'last_error_at']),
);

export const listFeeds = statement('list feeds', () =>
  query
    .selectFrom('register_feeds')
    .select(['kind', 'last_id', 'last_at', 'since', 'stated'])
    .orderBy('kind', 'desc'),
);

/** Moves a feed on from where it was read; nothing comes back when it is elsewhere by now. */
export const moveFeed = statement(
  'move feed',
  (p: {
    kind: Kind;
    from_id: number | null;
    from_since: string;
    last_id: number;
    last_at: string;
    stated: string;
  }) =>
    query
      .updateTable('register_feeds')
      .set({ last_id: p.last_id, last_at: p.last_at, stated: sql`${p.stated}::jsonb` })
      .where('kind', '=', p.kind)
      .where(sql<boolean>`last_id is not distinct from ${p.from_id}::bigint`)
      .where(sql<boolean>`since = ${p.from_since}::timestamptz`)
      .returning('kind'),
);

/** Of the mirror that was synced alone: one imported meanwhile has a sync of its own before it. */
export const recordSync = statement('record sync', (p: { imported_at: string; current_at: string }) =>
  query
    .updateTable('register_mirror')
    .set({
      current_at: sql<string>`greatest(current_at, ${p.current_at}::timestamptz)`,
      synced_at: sql<string>`now()`,
      last_error: null,
      last_error_at: null,
    })
    .where('imported_at', '=', p.imported_at),
);

export const recordRefreshed = statement('record refreshed', (p: { imported_at: string }) =>
  query
    .updateTable('register_mirror')
    .set({ companies_refreshed: true })
    .where('imported_at', '=', p.imported_at),
);

export const recordSyncError = statement('record sync error', (p: { error: string }) =>
  query.updateTable('register_mirror').set({ last_error: p.error, last_error_at: sql<string>`now()` }),
);

/** Numbers whose next try is due, the longest due first. */
export const listDue = statement('list set aside due', (p: { limit: number }) =>
  query
    .selectFrom('register_set_aside')
    .select('orgnr')
    .where('retry_at', '<=', sql<string>`now()`)
    .orderBy('retry_at')
    .limit(p.limit),
);

/** Those that failed most come first. */
export const listSetAside = statement('list set aside', (p: { limit: number }) =>
  query
    .selectFrom('register_set_aside')
    .select(['orgnr', 'failures', 'first_failed_at', 'retry_at', 'last_error'])
    .orderBy('failures', 'desc')
    .orderBy('orgnr')
    .limit(p.limit),
);

export const countSetAside = statement('count set aside', () =>
  query.selectFrom('register_set_aside').select((eb) => eb.fn.countAll<number>().as('count')),
);

/** Sets numbers aside, given as JSON of `{ orgnr, error }`: for five minutes, then twice as long each time, a day at most. */
export const setAside = statement('set aside', (p: { failed: string }) =>
  query
    .insertInto('register_set_aside')
    .columns(['orgnr', 'failures', 'first_failed_at', 'retry_at', 'last_error'])
    .expression(
      query
        .selectFrom(
          sql<{ orgnr: string; error: string }>`jsonb_to_recordset(${p.failed}::jsonb)`.as<'failed'>(
            sql`failed (orgnr text, error text)`,
          ),
        )
        .select([
          'failed.orgnr',
          sql<number>`1`.as('failures'),
          sql<string>`now()`.as('first_failed_at'),
          sql<string>`now() + interval '5 minutes'`.as('retry_at'),
          'failed.error as last_error',
        ]),
    )
    .onConflict((conflict) =>
      conflict.column('orgnr').doUpdateSet({
        failures: sql<number>`register_set_aside.failures + 1`,
        retry_at: sql<string>`now() + least(interval '1 day', interval '5 minutes' * 2 ^ least(register_set_aside.failures, 10))`,
        last_error: sql<string>`excluded.last_error`,
      }),
    ),
);

export const clearSetAside = statement('clear set aside', (p: { orgnrs: string[] }) =>
  query.deleteFrom('register_set_aside').where('orgnr', '=', sql<string>`any(${p.orgnrs}::text[])`),
);
