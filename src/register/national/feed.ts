import { z } from 'zod';
import { RegisterUnavailable, type Kind } from '../register.ts';
import { get, RETRY_AFTER_SECONDS } from './request.ts';
import { LISTS, type Source } from './source.ts';

/** Where to continue reading a feed: after the entry `last_id` of the date `last_at`, or, before any, from `since`. */
type FeedPosition = { last_id: number | null; last_at: string | null; since: string };

export type FeedChange = {
  id: number;
  /** ISO 8601 */
  at: string;
  orgnr: string;
  /** Removed on legal grounds; for anything else the unit is looked up. */
  removed: boolean;
};

/** At this size a page is about 350 kB. */
const PAGE_SIZE = 1_000;
const TIMEOUT_MS = 20_000;

const LIST_NAMES = { unit: 'oppdaterteEnheter', branch: 'oppdaterteUnderenheter' } as const;

const changes = z.array(
  z
    .object({
      oppdateringsid: z.int().min(0),
      dato: z.iso.datetime({ offset: true }),
      organisasjonsnummer: z.string().regex(/^\d{9}$/),
      endringstype: z.string(),
    })
    .transform((entry): FeedChange => ({
      id: entry.oppdateringsid,
      // As the database stores it, so that both can be compared.
      at: Temporal.Instant.from(entry.dato).round('millisecond').toString(),
      orgnr: entry.organisasjonsnummer,
      removed: entry.endringstype === 'Fjernet',
    })),
);

const page = z.object({
  _embedded: z.record(z.string(), z.unknown()).optional(),
  page: z.object({ totalElements: z.int() }).optional(),
});

/**
 * Reads one page of a feed, oldest change first; empty at the end of the feed.
 * @param signal ends the reading early
 * @throws {RegisterUnavailable} also when this is no longer the feed that was read before
 */
export async function readFeed(
  source: Source,
  kind: Kind,
  position: FeedPosition,
  signal?: AbortSignal,
): Promise<FeedChange[]> {
  const { last_id: lastId, last_at: lastAt, since } = position;
  const read = (query: Record<string, string>) => getPage(source, kind, query, signal);
  if (lastId === null) return checkOrder(kind, await read({ dato: since }), -1);
  const after = await read({ oppdateringsid: String(lastId + 1) });
  const [first] = checkOrder(kind, after, lastId);
  const isEarlier = first && lastAt !== null && Temporal.Instant.compare(first.at, lastAt) < 0;
  if (first && !isEarlier) return after;
  // Nothing new, or a date out of order. If ids have started over, the last entry is gone or has another date.
  const [last] = await read({ oppdateringsid: String(lastId), size: '1' });
  if (!last || (first && last.id !== lastId)) throw lostPlace(kind, lastId);
  const isMoved = lastAt !== null && Temporal.Instant.compare(last.at, lastAt) !== 0;
  if (last.id === lastId && isMoved) throw lostPlace(kind, lastId);
  // An earlier release kept no dates: reading the entry again gives its date.
  if (!first && last.id === lastId && lastAt === null) return [last];
  return after;
}

async function getPage(
  source: Source,
  kind: Kind,
  query: Record<string, string>,
  signal?: AbortSignal,
): Promise<FeedChange[]> {
  const parameters = new URLSearchParams({ size: String(PAGE_SIZE), ...query });
  const { status, body, retryAfterSeconds } = await get({
    url: `${source.baseUrl}/oppdateringer/${LISTS[kind].path}?${parameters.toString()}`,
    accept: 'application/json',
    userAgent: source.userAgent,
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
  });
  const title = `the feed of ${kind} changes`;
  if (status !== 200) {
    throw new RegisterUnavailable(`${title} answers ${status}`, retryAfterSeconds ?? RETRY_AFTER_SECONDS);
  }
  const read = changes.safeParse(listOf(kind, body));
  if (read.success) return read.data;
  throw new RegisterUnavailable(
    `${title} answers with no page of ${LIST_NAMES[kind]}: the register has changed its format`,
    RETRY_AFTER_SECONDS,
    { cause: read.error },
  );
}

/** The list of a page; undefined where the page neither has it nor says that it is empty. */
function listOf(kind: Kind, body: unknown): unknown {
  const { data } = page.safeParse(body);
  if (data?._embedded) return data._embedded[LIST_NAMES[kind]];
  return data?.page?.totalElements === 0 ? [] : undefined;
}

/** @throws {RegisterUnavailable} unless each id is higher than the one before, the first higher than `lastId` */
function checkOrder(kind: Kind, changes: FeedChange[], lastId: number): FeedChange[] {
  const ids = [lastId, ...changes.map(({ id }) => id)];
  if (ids.every((id, index) => index === 0 || id > ids[index - 1]!)) return changes;
  throw new RegisterUnavailable(`the ids of the feed of ${kind} changes are not in ascending order`, 60);
}

function lostPlace(kind: Kind, lastId: number): RegisterUnavailable {
  return new RegisterUnavailable(
    `the feed of ${kind} changes no longer has the entry ${lastId} that was read last: it has started over or was cut; import the register again`,
    60,
  );
}
