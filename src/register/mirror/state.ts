import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import type { Kind } from '../register.ts';

/** The row of register_mirror; there is none before the first import. */
export type Mirror = {
  imported_at: string;
  /** The mirror holds at least what the register said then. */
  current_at: string;
  is_current: boolean;
  companies_refreshed: boolean;
  synced_at: string | null;
  last_error: string | null;
};

/** A row of register_feeds: how far a feed has been read. */
export type Feed = {
  kind: Kind;
  last_id: number | null;
  /** The date of the entry `last_id`; null where it is not known. */
  last_at: string | null;
  since: string;
  stated: StatedCounts;
};

/** Of recently changed units: how many stated a field before, and how many do now. */
export type StatedCounts = Record<string, { before: number; after: number }>;

/** A mirror that was last current longer ago than this is not used without asking the register. */
export const IS_CURRENT = sql<boolean>`(register_mirror.current_at > now() - interval '2 days')`;

export const findMirror = statement(
  'find mirror',
  () => sql<Mirror>`
    select imported_at, current_at, ${IS_CURRENT} as is_current, companies_refreshed, synced_at, last_error
    from register_mirror`,
);

export const listFeeds = statement(
  'list feeds',
  () => sql<Feed>`select kind, last_id, last_at, since, stated from register_feeds order by kind desc`,
);

/** Moves a feed on from where it was read; returns no row when it has been moved meanwhile. */
export const moveFeed = statement(
  'move feed',
  (p: {
    kind: Kind;
    from_id: number | null;
    from_since: string;
    last_id: number;
    last_at: string;
    stated: string;
  }) => sql<{ kind: Kind }>`
    update register_feeds set last_id = ${p.last_id}, last_at = ${p.last_at}, stated = ${p.stated}::jsonb
    where kind = ${p.kind} and last_id is not distinct from ${p.from_id}::bigint
      and since = ${p.from_since}::timestamptz
    returning kind`,
);

/**
 * Changes only the mirror that was synced, not one that was imported meanwhile. A time in the future comes from a clock
 * that was later set back.
 */
export const recordSync = statement(
  'record sync',
  (p: { imported_at: string; current_at: string }) => sql`
    update register_mirror
    set current_at = greatest(case when current_at <= now() then current_at end, ${p.current_at}::timestamptz),
      synced_at = now(), last_error = null, last_error_at = null
    where imported_at = ${p.imported_at}`,
);

export const recordSyncError = statement(
  'record sync error',
  (p: { error: string }) => sql`update register_mirror set last_error = ${p.error}, last_error_at = now()`,
);

export const recordRefreshed = statement(
  'record refreshed',
  (p: { imported_at: string }) => sql`
    update register_mirror set companies_refreshed = true where imported_at = ${p.imported_at}`,
);
