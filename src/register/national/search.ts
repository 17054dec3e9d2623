import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { hasValidCheckDigit } from '../check-digit.ts';
import { RegisterUnavailable, type RegisterAnswer, type Unit } from '../register.ts';
import { digitsOf, searchText } from '../search-text.ts';
import { readRecord } from './answer.ts';
import { RETRY_AFTER_SECONDS, type RegisterResponse } from './request.ts';
import { LISTS } from './source.ts';

/** The most searches that one process sends in any second. */
const MAX_PER_SECOND = 5;

const CACHE = { max: 1_000, ttl: 60_000 };

/** As many as any caller may ask for, so that an answer serves every limit. */
const PAGE_SIZE = 20;

/** A page of the register's list of units; an empty one has no `_embedded`. */
const page = z.object({
  _embedded: z.object({ [LISTS.unit.path]: z.array(z.unknown()) }).optional(),
  page: z.object({ totalElements: z.int() }),
});

/**
 * Searches the national register by name, and for complete numbers. Answers are remembered for a minute; concurrent
 * searches for the same text share a request.
 * @param options.get sends a GET for a path, within the limits of look-ups
 */
export function nationalSearch(options: {
  find: (orgnr: string) => Promise<RegisterAnswer>;
  get: (path: string) => Promise<RegisterResponse>;
}): (q: string, limit: number) => Promise<Unit[]> {
  const sentAt: number[] = [];
  const cache = new LRUCache<string, Unit[]>({ ...CACHE, fetchMethod: search, ignoreFetchAbort: true });

  async function search(q: string): Promise<Unit[]> {
    const orgnr = digitsOf(q);
    if (orgnr?.length === 9 && hasValidCheckDigit(orgnr)) {
      const answer = await options.find(orgnr);
      return answer.outcome === 'found' ? [answer.unit] : [];
    }
    checkRate();
    const query = new URLSearchParams({ navn: q, size: `${PAGE_SIZE}` }).toString();
    return readPage(await options.get(`${LISTS.unit.path}?${query}`));
  }

  function checkRate(): void {
    const now = performance.now();
    if (sentAt.length === MAX_PER_SECOND && now - sentAt[0]! < 1_000) {
      throw new RegisterUnavailable('the register is searched too often', 1, { fault: 'limit' });
    }
    sentAt.push(now);
    if (sentAt.length > MAX_PER_SECOND) sentAt.shift();
  }

  return async (q, limit) => {
    // How accents and signs match is up to the register; text with neither letters nor digits finds nothing anywhere.
    if (searchText(q) === '') return [];
    const text = q.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
    return (await cache.fetch(text))!.slice(0, limit);
  };
}

/** Units of a page; a record that cannot be read is left out, unless none can be read. */
function readPage({ status, body, retryAfterSeconds }: RegisterResponse): Unit[] {
  const seconds = retryAfterSeconds || RETRY_AFTER_SECONDS;
  if (status !== 200) throw new RegisterUnavailable(`the register answers a search with ${status}`, seconds);
  const read = page.safeParse(body);
  if (!read.success) throw new RegisterUnavailable('the register answers a search with no page', seconds);
  const records = read.data._embedded?.[LISTS.unit.path] ?? [];
  const readings = records.map((record) => readRecord(record));
  const units = readings.flatMap((reading) => (reading.outcome === 'found' ? [reading.unit] : []));
  const unreadable = readings.find((reading) => reading.outcome === 'unreadable');
  if (unreadable && units.length === 0) throw new RegisterUnavailable(unreadable.why, seconds);
  return units;
}
