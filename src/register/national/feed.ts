import { z } from 'zod';
import { RegisterUnavailable, type Kind } from '../register.ts';
import { get, RETRY_LATER } from './request.ts';

/** Where a feed goes on: after an entry, or, before any was read, from a moment (ISO 8601). */
export type FeedPosition = { last_id: number | null; last_at: string | null; since: string };

export type Change = {
  id: number;
  /** ISO 8601 */
  at: string;
  orgnr: string;
  /** True when every copy must be erased; anything else means: read the unit again. */
  removed: boolean;
};

export type Source = { baseUrl: string; userAgent: string };

/** Entries a page holds at most; some 350 kB. */
const PAGE_SIZE = 1_000;
const TIMEOUT = 20_000;

const FEEDS = {
  unit: { path: 'oppdateringer/enheter', list: 'oppdaterteEnheter' },
  branch: { path: 'oppdateringer/underenheter', list: 'oppdaterteUnderenheter' },
} as const;

const entries = z.array(
  z.object({
    oppdateringsid: z.int().min(0),
    dato: z.iso.datetime({ offset: true }),
    organisasjonsnummer: z.string().regex(/^\d{9}$/),
    endringstype: z.string(),
  }),
);

/** A page either has its list, under the name of its own feed, or says that there is nothing in it. */
const pages = {
  unit: z.union([z.object({ _embedded: z.object({ oppdaterteEnheter: entries }) }), emptyPage()]),
  branch: z.union([z.object({ _embedded: z.object({ oppdaterteUnderenheter: entries }) }), emptyPage()]),
};

function emptyPage() {
  return z.object({
    _embedded: z.undefined().optional(),
    page: z.object({ totalElements: z.literal(0) }),
  });
}

/**
 * One page of a feed, oldest change first; empty at the end of the feed.
 * @throws {RegisterUnavailable} when the register cannot be asked or does not answer sensibly, or the feed is no
 *   longer the one that was read before
 */
export async function readFeed(source: Source, kind: Kind, position: FeedPosition): Promise<Change[]> {
  const { last_id: lastId, last_at: lastAt, since } = position;
  if (lastId === null) return ascending(kind, await ask(source, kind, { dato: since }), -1);
  const page = await ask(source, kind, { oppdateringsid: String(lastId + 1) });
  const [first] = ascending(kind, page, lastId);
  if (first) {
    if (lastAt !== null && Date.parse(first.at) < Date.parse(lastAt)) throw lostPlace(kind, lastId);
    return page;
  }
  // Nothing new, or another feed by now: one that has started over has nothing behind our place either.
  const [last] = await ask(source, kind, { oppdateringsid: String(lastId), size: '1' });
  if (!last) throw lostPlace(kind, lastId);
  if (last.id === lastId && lastAt !== null && Date.parse(last.at) !== Date.parse(lastAt)) {
    throw lostPlace(kind, lastId);
  }
  return [];
}

async function ask(source: Source, kind: Kind, query: Record<string, string>): Promise<Change[]> {
  const parameters = new URLSearchParams({ size: String(PAGE_SIZE), ...query });
  const response = await get({
    url: `${source.baseUrl}/${FEEDS[kind].path}?${parameters.toString()}`,
    accept: 'application/json',
    userAgent: source.userAgent,
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.status !== 200) {
    throw new RegisterUnavailable(
      `the feed of ${kind} changes answers ${response.status}`,
      response.retryAfterSeconds ?? RETRY_LATER,
    );
  }
  const page = pages[kind].safeParse(response.body);
  if (!page.success) {
    throw new RegisterUnavailable(
      `the feed of ${kind} changes answers with no page of ${FEEDS[kind].list}: the register has changed its form`,
      RETRY_LATER,
      { cause: page.error },
    );
  }
  return listOf(page.data).map((entry) => ({
    id: entry.oppdateringsid,
    at: entry.dato,
    orgnr: entry.organisasjonsnummer,
    removed: entry.endringstype === 'Fjernet',
  }));
}

function listOf(page: z.output<(typeof pages)[Kind]>): z.output<typeof entries> {
  if (page._embedded === undefined) return [];
  return 'oppdaterteEnheter' in page._embedded
    ? page._embedded.oppdaterteEnheter
    : page._embedded.oppdaterteUnderenheter;
}

/** @throws {RegisterUnavailable} unless ids rise from entry to entry, beginning above `lastId` */
function ascending(kind: Kind, page: Change[], lastId: number): Change[] {
  page.reduce((former, { id }) => {
    if (id <= former) throw new RegisterUnavailable(`the feed of ${kind} changes does not move on`, 60);
    return id;
  }, lastId);
  return page;
}

function lostPlace(kind: Kind, lastId: number): RegisterUnavailable {
  return new RegisterUnavailable(
    `the feed of ${kind} changes no longer has the entry ${lastId} that was read last: it has started over or was cut; import the register again`,
    60,
  );
}
