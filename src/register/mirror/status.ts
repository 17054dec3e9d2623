import type { Queryable } from '../../db/connect.ts';
import { KINDS, type Register } from '../register.ts';
import {
  countSetAside,
  findMirror,
  isRecent,
  listFeeds,
  listSetAside,
  type FeedState,
  type MirrorState,
} from './state.ts';
import { estimateUnits } from './store.ts';

/** Thousands of units change on a working day: a feed without an entry for this long is odd. Milliseconds. */
const SILENT_AFTER = 24 * 3_600_000;

const SHOWN_SET_ASIDE = 20;

/** The state of the register and its mirror, for people and for metrics. */
export async function mirrorStatus(db: Queryable, live: Register): ReturnType<Register['status']> {
  const { source, facts, gauges } = await live.status();
  const mirror = await db.row(findMirror, {});
  const feeds = await db.rows(listFeeds, {});
  const aside = await db.rows(listSetAside, { limit: SHOWN_SET_ASIDE });
  const asideCount = (await db.row(countSetAside, {}))?.count ?? 0;
  const units = (await db.row(estimateUnits, {}))?.units ?? 0;
  const faults = mirror ? faultsOf(mirror, feeds) : { errors: [], warnings: [] };
  return {
    source,
    facts: {
      ...facts,
      mirrored_units_about: units,
      mirror_imported_at: mirror?.imported_at ?? null,
      mirror_current_at: mirror?.current_at ?? null,
      mirror_relied_upon: mirror !== undefined && isRecent(mirror.current_at),
      mirror_synced_at: mirror?.synced_at ?? null,
      errors: faults.errors,
      warnings: faults.warnings,
      feeds: Object.fromEntries(
        feeds.map(({ kind, last_id, last_at, since }) => [kind, { last_id, last_at, since }]),
      ),
      numbers_set_aside: asideCount,
      set_aside: aside,
    },
    gauges: {
      ...gauges,
      units_kept: units,
      numbers_set_aside: asideCount,
      ...(mirror && {
        copy_age_seconds: secondsSince(mirror.current_at),
        sync_failing: mirror.last_error === null ? 0 : 1,
        ...Object.fromEntries(
          KINDS.map((kind) => [
            `${kind}_feed_silent_seconds`,
            silenceOf(feeds.find((feed) => feed.kind === kind)),
          ]),
        ),
      }),
    },
  };
}

/** What is wrong with the mirror, and what is odd about it, in words. */
export function faultsOf(
  mirror: MirrorState,
  feeds: readonly FeedState[],
): { errors: string[]; warnings: string[] } {
  const errors = [
    ...(mirror.last_error === null ? [] : [`the last sync failed: ${mirror.last_error}`]),
    ...(isRecent(mirror.current_at)
      ? []
      : [`the mirror is current to ${mirror.current_at} only and no longer relied upon`]),
  ];
  // Before its first sync a mirror cannot have read an entry.
  const isSynced = mirror.synced_at !== null && mirror.synced_at > mirror.imported_at;
  const silent = isSynced ? feeds.filter((feed) => silenceOf(feed) * 1_000 > SILENT_AFTER) : [];
  return {
    errors,
    warnings: silent.map(
      (feed) => `the feed of ${feed.kind} changes has had no entry since ${lastEntryOf(feed)}`,
    ),
  };
}

function silenceOf(feed: FeedState | undefined): number {
  return feed ? secondsSince(lastEntryOf(feed)) : 0;
}

function lastEntryOf({ last_at, since }: FeedState): string {
  return last_at ?? since;
}

function secondsSince(moment: string): number {
  return Math.max(0, Math.round((Date.now() - Date.parse(moment)) / 1_000));
}
