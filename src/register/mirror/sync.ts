import type { Database, Queryable } from '../../db/connect.ts';
import type { NationalRegister } from '../national/client.ts';
import { readFeed, type Source } from '../national/feed.ts';
import { applyNews, type Followers } from './apply-news.ts';
import { deleteOldInvalidations, readClock } from './invalidations.ts';
import { rereadUnits } from './reread.ts';
import {
  findMirror,
  listDue,
  listFeeds,
  moveFeed,
  recordRefreshed,
  recordSync,
  recordSyncError,
  type FeedState,
} from './state.ts';
import { countStated } from './stated.ts';

export type SyncOptions = {
  db: Database;
  /** Asked for each changed unit; must not answer from the mirror, nor with what someone else has asked before. */
  live: NationalRegister;
  source: Source;
  followers: Followers;
  signal?: AbortSignal;
};

/** An import has replaced the mirror, and with it the place in the feed, while a page was read. */
class MirrorReplaced extends Error {
  override readonly name = 'MirrorReplaced';
}

/** Entries that are carried out in one transaction: what a sync that breaks off has to read again at most. */
const SLICE = 100;

/**
 * Follows both feeds from where they were left to their ends: each changed unit is read again, and a feed's
 * place moves in the same transaction as what a slice of it changed, so that a crash leaves no gap.
 * @returns how many changes were carried out; undefined when there is no mirror to keep current
 * @throws {RegisterUnavailable} what was done before stands; the error is recorded
 */
export async function syncMirror(options: SyncOptions): Promise<{ changes: number } | undefined> {
  const { db } = options;
  await deleteOld(db);
  const mirror = await db.row(findMirror, {});
  if (!mirror) return undefined;
  const { now } = (await db.row(readClock, {}))!;
  try {
    await refreshAfterImport(db, options.followers);
    let changes = 0;
    for (const feed of await db.rows(listFeeds, {})) changes += await follow(options, feed);
    await retrySetAside(options);
    if (!options.signal?.aborted) {
      await db.row(recordSync, { imported_at: mirror.imported_at, current_at: now });
    }
    return { changes };
  } catch (error) {
    // Nothing is lost: the slice was not carried out, and the new mirror is followed from its own place.
    if (error instanceof MirrorReplaced) return syncMirror(options);
    if (options.signal?.aborted) return { changes: 0 };
    await db.row(recordSyncError, { error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** Followers take over an imported mirror once; after a crash in the middle the next sync does it again. */
export async function refreshAfterImport(db: Queryable, followers: Followers): Promise<void> {
  const mirror = await db.row(findMirror, {});
  if (!mirror || mirror.companies_refreshed) return;
  await followers.refreshAll(db);
  await db.row(recordRefreshed, { imported_at: mirror.imported_at });
}

async function follow(options: SyncOptions, from: FeedState): Promise<number> {
  let feed = from;
  let changes = 0;
  while (!options.signal?.aborted) {
    const page = await readFeed(options.source, feed.kind, feed);
    if (page.length === 0) break;
    for (let start = 0; start < page.length && !options.signal?.aborted; start += SLICE) {
      const slice = page.slice(start, start + SLICE);
      feed = await carryOut(options, feed, slice);
      changes += slice.length;
    }
    await deleteOld(options.db);
  }
  return changes;
}

/** What the register says now of every unit a slice names; of a unit named twice the last entry counts. */
async function carryOut(
  { db, live, followers, signal }: SyncOptions,
  feed: FeedState,
  slice: Awaited<ReturnType<typeof readFeed>>,
): Promise<FeedState> {
  const { id, at } = slice.at(-1)!;
  const news = await rereadUnits(
    db,
    live,
    [...new Map(slice.map((change) => [change.orgnr, change])).values()],
    {
      tolerated: Math.max(2, Math.floor(slice.length / 4)),
      ...(signal && { signal }),
    },
  );
  return db.transaction(async (transaction) => {
    const stated = await countStated(transaction, feed.stated, news.found);
    await applyNews(transaction, news, followers);
    const moved = await transaction.row(moveFeed, {
      kind: feed.kind,
      from_id: feed.last_id,
      from_since: feed.since,
      last_id: id,
      last_at: at,
      stated: JSON.stringify(stated),
    });
    if (!moved) throw new MirrorReplaced();
    return { ...feed, last_id: id, last_at: at, stated };
  });
}

/** Numbers that were set aside and whose next try is due. */
async function retrySetAside({ db, live, followers, signal }: SyncOptions): Promise<void> {
  const due = await db.rows(listDue, { limit: SLICE });
  if (due.length === 0 || signal?.aborted) return;
  const changes = due.map(({ orgnr }) => ({ orgnr, removed: false }));
  const news = await rereadUnits(db, live, changes, { tolerated: SLICE, ...(signal && { signal }) });
  await db.transaction((transaction) => applyNews(transaction, news, followers));
}

async function deleteOld(db: Queryable): Promise<void> {
  while ((await db.rows(deleteOldInvalidations, {})).length > 0);
}
