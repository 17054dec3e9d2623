import { z } from 'zod';
import { get, RETRY_LATER } from './request.ts';
import { RegisterUnavailable } from '../register.ts';

/** Which of the register's two feeds of changes. */
export type FeedName = 'units' | 'branches';

/** Where a feed goes on: after an entry, or, before any was read, from a moment (ISO 8601). */
export type FeedPosition = { after: number | null; since: string };

export type Change = {
  id: number;
  orgnr: string;
  /** True when every copy must be erased; anything else means: read the unit again. */
  removed: boolean;
};

/** Entries a page holds at most; some 350 kB. */
const PAGE_SIZE = 1_000;
const TIMEOUT = 20_000;

const PATHS = { units: 'oppdateringer/enheter', branches: 'oppdateringer/underenheter' };

const entries = z.array(
  z.object({
    oppdateringsid: z.int().min(0),
    organisasjonsnummer: z.string().regex(/^\d{9}$/),
    endringstype: z.string(),
  }),
);

const feedPage = z.object({
  _embedded: z
    .object({ oppdaterteEnheter: entries.optional(), oppdaterteUnderenheter: entries.optional() })
    .optional(),
});

/**
 * One page of a feed, oldest change first; empty at the end of the feed.
 * @throws {RegisterUnavailable} when the register cannot be asked or does not answer sensibly
 */
export async function readFeed(
  source: { baseUrl: string; userAgent: string },
  feed: FeedName,
  position: FeedPosition,
): Promise<Change[]> {
  const from: Record<string, string> =
    position.after === null ? { dato: position.since } : { oppdateringsid: String(position.after + 1) };
  const query = new URLSearchParams({ ...from, size: String(PAGE_SIZE) });
  const response = await get({
    url: `${source.baseUrl}/${PATHS[feed]}?${query.toString()}`,
    accept: 'application/json',
    userAgent: source.userAgent,
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.status !== 200) {
    throw new RegisterUnavailable(
      `the feed answers ${response.status}`,
      response.retryAfterSeconds ?? RETRY_LATER,
    );
  }
  const page = feedPage.safeParse(response.body);
  if (!page.success)
    throw new RegisterUnavailable('the feed answers with no page', RETRY_LATER, { cause: page.error });
  const embedded = page.data._embedded;
  const found = embedded?.oppdaterteEnheter ?? embedded?.oppdaterteUnderenheter ?? [];
  return found.map((entry) => ({
    id: entry.oppdateringsid,
    orgnr: entry.organisasjonsnummer,
    removed: entry.endringstype === 'Fjernet',
  }));
}
