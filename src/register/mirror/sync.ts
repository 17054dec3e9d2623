import type { Database, Queryable } from '../../db/connect.ts';
import { readFeed, type Change, type FeedName, type FeedPosition } from '../national/feed.ts';
import {
  eraseUnits,
  findCopy,
  keepUnits,
  keptRows,
  markDeleted,
  moveCursor,
  recordRefreshed,
  recordRemoved,
  recordSync,
  recordSyncError,
} from './store.ts';
import { RecordUnreadable, RegisterUnavailable, type Register, type Unit } from '../register.ts';

/** Who must hear of changes, in the transaction that keeps them. */
export type Followers = {
  /** A whole new copy is there; may take a while, and is no transaction. */
  refreshAll(on: Queryable): Promise<void>;
  /** Facts of these units may have changed. */
  refresh(on: Queryable, orgnrs: readonly string[]): Promise<void>;
  dissolve(on: Queryable, gone: readonly Dissolved[]): Promise<void>;
  /** These units were removed on legal grounds: no copy may be kept. */
  forget(on: Queryable, orgnrs: readonly string[]): Promise<void>;
};

/** `on`: YYYY-MM-DD */
type Dissolved = { orgnr: string; on: string };

export type SyncOptions = {
  db: Database;
  /** Asked for each changed unit; must not answer from the copy. */
  live: Register;
  source: { baseUrl: string; userAgent: string };
  followers: Followers;
  signal?: AbortSignal;
};

/** An import has replaced the copy, and with it the place in the feed, while a page was read. */
class CopyReplaced extends Error {
  override readonly name = 'CopyReplaced';
}

/** Look-ups under way at once; requests of people must find room beside them. */
const AT_ONCE = 4;

/**
 * Follows both feeds from where they were left to their ends: each changed unit is read again, and a feed's
 * cursor moves in the same transaction as what a page changed, so that a crash leaves no gap.
 * @returns how many changes were carried out; undefined when there is no copy to keep current
 * @throws {RegisterUnavailable} what was done before stands; the error is recorded
 */
export async function syncCopy(options: SyncOptions): Promise<{ changes: number } | undefined> {
  const { db } = options;
  const copy = await db.first(findCopy, {});
  if (!copy) return undefined;
  const startedAt = new Date().toISOString();
  try {
    await refreshAfterImport(db, options.followers);
    const units = await follow(options, 'units', { after: copy.units_after, since: copy.units_since });
    const branches = await follow(options, 'branches', {
      after: copy.branches_after,
      since: copy.branches_since,
    });
    if (!options.signal?.aborted) {
      await db.first(recordSync, { imported_at: copy.imported_at, current_at: startedAt });
    }
    return { changes: units + branches };
  } catch (error) {
    // Nothing is lost: the page was not carried out, and the new copy is followed from its own place.
    if (error instanceof CopyReplaced) return syncCopy(options);
    if (options.signal?.aborted) return { changes: 0 };
    await db.first(recordSyncError, { error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** Followers take over an imported copy once; after a crash in the middle the next sync does it again. */
export async function refreshAfterImport(db: Queryable, followers: Followers): Promise<void> {
  const copy = await db.first(findCopy, {});
  if (!copy || copy.companies_refreshed) return;
  await followers.refreshAll(db);
  await db.first(recordRefreshed, { imported_at: copy.imported_at });
}

async function follow(options: SyncOptions, feed: FeedName, from: FeedPosition): Promise<number> {
  let position = from;
  let changes = 0;
  while (!options.signal?.aborted) {
    const page = await readFeed(options.source, feed, position);
    const last = page.at(-1);
    if (!last) break;
    if (position.after !== null && last.id <= position.after) {
      throw new RegisterUnavailable('the feed does not move on', 60);
    }
    const news = await readAgain(options.live, page, options.signal);
    await options.db.transaction((transaction) =>
      carryOut(transaction, news, options.followers, feed, position, last.id),
    );
    position = { ...position, after: last.id };
    changes += page.length;
  }
  return changes;
}

/** Records of one page that may be passed over: one, and one in a hundred. More is trouble of the register's. */
const mostUnreadable = (page: number) => 1 + Math.floor(page / 100);

type News = { asOf: string; found: Unit[]; deleted: Dissolved[]; removed: string[]; unreadable: number };

/** What the register says now of every unit a page names; of a unit named twice the last entry counts. */
async function readAgain(live: Register, page: readonly Change[], signal?: AbortSignal): Promise<News> {
  const asOf = new Date().toISOString();
  const changed = new Map(page.map((change) => [change.orgnr, change]));
  const waiting = changed.values();
  const news: News = { asOf, found: [], deleted: [], removed: [], unreadable: 0 };

  async function work(): Promise<void> {
    for (const { orgnr, removed } of waiting) {
      signal?.throwIfAborted();
      const answer = removed ? { outcome: 'removed' as const } : await live.find(orgnr).catch(passOver);
      if (answer.outcome === 'found') news.found.push(answer.unit);
      else if (answer.outcome === 'deleted') news.deleted.push({ orgnr, on: answer.on });
      else if (answer.outcome === 'removed') news.removed.push(orgnr);
      else if (answer.outcome === 'unreadable') news.unreadable += 1;
      // A unit that neither list has any more, without a word why, keeps what is known of it.
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (news.unreadable > mostUnreadable(changed.size)) {
    throw new RegisterUnavailable(`${news.unreadable} records of a page cannot be used`, 60);
  }
  return news;
}

/** One record that cannot be used must not hold up all that come after it. */
function passOver(error: unknown): { outcome: 'unreadable' } {
  if (error instanceof RecordUnreadable) return { outcome: 'unreadable' };
  throw error;
}

async function carryOut(
  transaction: Queryable,
  { asOf, found, deleted, removed }: News,
  followers: Followers,
  feed: FeedName,
  { after, since }: FeedPosition,
  last: number,
): Promise<void> {
  if (found.length > 0) {
    await transaction.first(keepUnits, { units: keptRows(found, asOf) });
    await followers.refresh(
      transaction,
      found.map((unit) => unit.orgnr),
    );
  }
  if (deleted.length > 0) {
    await transaction.first(markDeleted, { gone: JSON.stringify(deleted), as_of: asOf });
    await followers.dissolve(transaction, deleted);
  }
  if (removed.length > 0) {
    await transaction.first(eraseUnits, { orgnrs: removed });
    await transaction.first(recordRemoved, { orgnrs: removed });
    await followers.forget(transaction, removed);
  }
  const move = { from_after: after, from_since: since, to: last };
  if (!(await transaction.first(moveCursor[feed], move))) throw new CopyReplaced();
}
