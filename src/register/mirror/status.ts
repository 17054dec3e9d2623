import type { Queryable } from '../../db/connect.ts';
import { KINDS, type Register } from '../register.ts';
import { countSetAside, listSetAside } from './set-aside.ts';
import { findMirror, listFeeds, type Feed, type Mirror } from './state.ts';
import { estimateUnits } from './units.ts';

/** Thousands of units change on a working day. */
const MAX_SILENCE_SECONDS = 24 * 3_600;

const MAX_SHOWN = 20;

/** The state of the register and its mirror, for people and for metrics. */
export async function mirrorStatus(db: Queryable, live: Register): ReturnType<Register['status']> {
  const { source, facts, gauges } = await live.status();
  const mirror = await db.row(findMirror, {});
  const feeds = await db.rows(listFeeds, {});
  const setAside = await db.rows(listSetAside, { limit: MAX_SHOWN });
  const setAsideCount = (await db.row(countSetAside, {}))?.count ?? 0;
  const units = (await db.row(estimateUnits, {}))?.units ?? 0;
  return {
    source,
    facts: {
      ...facts,
      mirrored_units_about: units,
      mirror_imported_at: mirror?.imported_at ?? null,
      mirror_current_at: mirror?.current_at ?? null,
      mirror_relied_upon: mirror?.is_current ?? false,
      mirror_synced_at: mirror?.synced_at ?? null,
      ...(mirror ? findMirrorFaults(mirror, feeds) : { errors: [], warnings: [] }),
      feeds: Object.fromEntries(
        feeds.map(({ kind, last_id, last_at, since }) => [kind, { last_id, last_at, since }]),
      ),
      numbers_set_aside: setAsideCount,
      set_aside: setAside,
    },
    gauges: {
      ...gauges,
      units_kept: units,
      numbers_set_aside: setAsideCount,
      ...(mirror && {
        mirror_age_seconds: secondsSince(mirror.current_at),
        sync_failing: mirror.last_error === null ? 0 : 1,
        ...Object.fromEntries(
          KINDS.map((kind) => {
            const feed = feeds.find((feed) => feed.kind === kind);
            return [`${kind}_feed_silent_seconds`, feed ? secondsSince(lastEntryOf(feed)) : 0];
          }),
        ),
      }),
    },
  };
}

export function findMirrorFaults(
  mirror: Mirror,
  feeds: readonly Feed[],
): { errors: string[]; warnings: string[] } {
  const errors: string[] = [];
  if (mirror.last_error !== null) errors.push(`the last sync failed: ${mirror.last_error}`);
  if (!mirror.is_current) {
    errors.push(`the mirror is current only to ${mirror.current_at} and is no longer relied upon`);
  }
  // Before its first sync a mirror has not read any entry.
  const isSynced = mirror.synced_at !== null;
  const silent = feeds.filter((feed) => isSynced && secondsSince(lastEntryOf(feed)) > MAX_SILENCE_SECONDS);
  const warnings = silent.map(
    (feed) => `the feed of ${feed.kind} changes has had no entry since ${lastEntryOf(feed)}`,
  );
  return { errors, warnings };
}

function lastEntryOf({ last_at, since }: Feed): string {
  return last_at ?? since;
}

function secondsSince(instant: string): number {
  const seconds = Temporal.Instant.from(instant).until(Temporal.Now.instant()).total('seconds');
  return Math.max(0, Math.round(seconds));
}
