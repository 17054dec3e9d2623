import type { Queryable } from '../../db/connect.ts';
import type { NationalRegister } from '../national/client.ts';
import { RegisterUnavailable, type Unit } from '../register.ts';
import { readClock } from './invalidations.ts';

/** What the register says of units that the feed named. */
export type News = {
  /** When the first of them was asked for. */
  asOf: string;
  found: Unit[];
  deleted: Dissolved[];
  removed: string[];
  /** In neither list any more, without a word why: what is known of them stays. */
  unknown: string[];
  /** Could not be read although the register is well. */
  failed: { orgnr: string; error: string }[];
};

/** `on`: YYYY-MM-DD */
export type Dissolved = { orgnr: string; on: string };

/** Look-ups under way at once; requests of people must find room beside them. */
const AT_ONCE = 4;

/**
 * Reads each unit again. One that fails does not hold up the others, as long as the register answers for the
 * number that is always there.
 * @param options.tolerated more failures than this are trouble of the register's, not of single numbers
 * @throws {RegisterUnavailable} when the register is not well
 */
export async function rereadUnits(
  db: Queryable,
  live: NationalRegister,
  changes: readonly { orgnr: string; removed: boolean }[],
  options: { tolerated: number; signal?: AbortSignal },
): Promise<News> {
  const asOf = (await db.row(readClock, {}))!.now;
  const news: News = { asOf, found: [], deleted: [], removed: [], unknown: [], failed: [] };
  const waiting = changes.values();
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, options.signal ?? over.signal]);

  async function work(): Promise<void> {
    for (const { orgnr, removed } of waiting) {
      signal.throwIfAborted();
      if (removed) news.removed.push(orgnr);
      else await read(orgnr).catch(stop);
    }
  }

  function stop(error: unknown): never {
    over.abort(error);
    throw error;
  }

  async function read(orgnr: string): Promise<void> {
    try {
      const answer = await live.find(orgnr);
      if (answer.outcome === 'found') news.found.push(answer.unit);
      else if (answer.outcome === 'deleted') news.deleted.push({ orgnr, on: answer.on });
      else news[answer.outcome].push(orgnr);
    } catch (error) {
      if (!(error instanceof RegisterUnavailable)) throw error;
      await live.prove();
      news.failed.push({ orgnr, error: error.message });
      if (news.failed.length > options.tolerated) throw tooMany(news.failed, changes.length);
    }
  }

  // All of them have ended before anything else is done.
  await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  signal.throwIfAborted();
  return news;
}

function tooMany(failed: News['failed'], asked: number): RegisterUnavailable {
  const { orgnr, error } = failed[0]!;
  return new RegisterUnavailable(
    `${failed.length} of ${asked} changed units cannot be read, for example ${orgnr}: ${error}`,
    60,
  );
}
