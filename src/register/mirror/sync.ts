import { removeInBatches } from '../../db/batches.ts';
import { readClock } from '../../db/clock.ts';
import type { Database } from '../../db/connect.ts';
import { readFeed, type FeedChange } from '../national/feed.ts';
import type { Source } from '../national/source.ts';
import type { Register } from '../register.ts';
import { deleteOldInvalidations } from './invalidations.ts';
import { applyOutcomes, lookUpChanged, type Followers } from './outcomes.ts';
import { listDue } from './set-aside.ts';
import {
  findMirror,
  listFeeds,
  moveFeed,
  recordRefreshed,
  recordSync,
  recordSyncError,
  type Feed,
} from './state.ts';
import { compareStated } from './stated.ts';

export type SyncOptions = {
  db: Database;
  /** Not the mirrored register: a sync must not get an answer that is older than the change. */
  live: Register;
  source: Source;
  followers: Followers;
  signal?: AbortSignal;
};

/** Changes that are written in one transaction: at most this many are read again after a failure. */
const BATCH = 100;

/** An import has replaced the mirror, and with it the position in the feed, meanwhile. */
class MirrorReplaced extends Error {}

/**
 * Reads both feeds to their ends and looks up each changed unit. The position in a feed moves in the transaction that
 * writes the changes, so that a crash skips none.
 * @returns how many changes were read; undefined when there is no mirror
 * @throws {RegisterUnavailable} what was written before stays; the error is recorded
 */
export async function syncMirror(options: SyncOptions): Promise<{ changes: number } | undefined> {
  const { db, signal } = options;
  await removeInBatches(db, deleteOldInvalidations);
  const mirror = await db.row(findMirror, {});
  if (!mirror) return undefined;
  const now = await readClock(db);
  try {
    await refreshAfterImport(db, options.followers);
    let changes = 0;
    for (const feed of await db.rows(listFeeds, {})) changes += await syncFeed(options, feed);
    await retrySetAside(options);
    if (!signal?.aborted) await db.row(recordSync, { imported_at: mirror.imported_at, current_at: now });
    return { changes };
  } catch (error) {
    if (error instanceof MirrorReplaced) return syncMirror(options);
    if (signal?.aborted) return { changes: 0 };
    await db.row(recordSyncError, { error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** Updates the followers from an imported mirror, once. A sync does it if the import was killed before it did. */
export async function refreshAfterImport(db: Database, followers: Followers): Promise<void> {
  const mirror = await db.row(findMirror, {});
  if (!mirror || mirror.companies_refreshed) return;
  await followers.refreshAll(db);
  await db.row(recordRefreshed, { imported_at: mirror.imported_at });
}

async function syncFeed(options: SyncOptions, from: Feed): Promise<number> {
  let feed = from;
  let changes = 0;
  while (!options.signal?.aborted) {
    const page = await readFeed(options.source, feed.kind, feed, options.signal);
    if (page.length === 0) break;
    for (let start = 0; start < page.length && !options.signal?.aborted; start += BATCH) {
      const batch = page.slice(start, start + BATCH);
      feed = await syncBatch(options, feed, batch);
      changes += batch.length;
    }
    await removeInBatches(options.db, deleteOldInvalidations);
  }
  return changes;
}

async function syncBatch(options: SyncOptions, feed: Feed, batch: readonly FeedChange[]): Promise<Feed> {
  const { db, live, followers, signal } = options;
  const { id: last_id, at: last_at } = batch.at(-1)!;
  const latest = [...new Map(batch.map((change) => [change.orgnr, change])).values()];
  const maxFailed = Math.max(2, Math.floor(batch.length / 4));
  const outcomes = await lookUpChanged(db, live, latest, { maxFailed, signal });
  return db.transaction(async (transaction) => {
    const stated = await compareStated(transaction, feed.stated, outcomes.found);
    await applyOutcomes(transaction, outcomes, followers);
    const position = { last_id, last_at, stated: JSON.stringify(stated) };
    const from = { kind: feed.kind, from_id: feed.last_id, from_since: feed.since };
    if (!(await transaction.row(moveFeed, { ...from, ...position }))) throw new MirrorReplaced();
    return { ...feed, last_id, last_at, stated };
  });
}

async function retrySetAside({ db, live, followers, signal }: SyncOptions): Promise<void> {
  const due = await db.rows(listDue, { limit: BATCH });
  if (due.length === 0 || signal?.aborted) return;
  const changes = due.map(({ orgnr }) => ({ orgnr, removed: false }));
  const outcomes = await lookUpChanged(db, live, changes, { maxFailed: BATCH, signal });
  await db.transaction((transaction) => applyOutcomes(transaction, outcomes, followers));
}
