import { causeOf } from '../../national/request.ts';
import { ImportRefused } from './refused.ts';
import type { BulkSource, OpenedSource } from './source.ts';

/** The register's lists, each under its own media type; the versions are pinned. */
const LISTS = [
  {
    path: 'enheter',
    type: 'application/vnd.brreg.enhetsregisteret.enhet.v2+gzip',
    title: 'the list of units',
  },
  {
    path: 'underenheter',
    type: 'application/vnd.brreg.enhetsregisteret.underenhet.v2+gzip',
    title: 'the list of branches',
  },
] as const;

/** The lists are made once a night: without a date of its own, an answer is taken to be as old as this. */
const OLDEST_LIST = 36 * 60 * 60 * 1_000;

/** Milliseconds without a single byte. The whole may take as long as the line needs. */
const LONGEST_SILENCE = 60_000;

/** Asked again soon after, the register has been seen to break off: nothing here tries twice. */
const ADVICE = 'try again on another day, not at once';

/** Packed bytes, or already unpacked on the way by a server that calls gzip an encoding. */
const RIGHT_TYPE = /^application\/(?:(?:[\w.-]+\+)?(?:gzip|json)|x-gzip|octet-stream)\s*(?:;|$)/i;

/**
 * The register's two lists, each streamed when its turn comes.
 * @param options.baseUrl such as https://data.brreg.no/enhetsregisteret/api
 * @param options.silenceMs the longest time without a byte, in milliseconds; 60 000 unless told
 */
export function downloadSources(options: {
  baseUrl: string;
  userAgent: string;
  silenceMs?: number;
}): BulkSource[] {
  return LISTS.map(({ path, type, title }) => ({
    title,
    advice: ADVICE,
    open: (signal) =>
      download({
        url: `${options.baseUrl}/${path}/lastned`,
        headers: { accept: type, 'user-agent': options.userAgent },
        title,
        silenceMs: options.silenceMs ?? LONGEST_SILENCE,
        signal,
      }),
  }));
}

type Order = {
  url: string;
  headers: Record<string, string>;
  title: string;
  silenceMs: number;
  signal: AbortSignal;
};

async function download(order: Order): Promise<OpenedSource> {
  const silence = new AbortController();
  const signal = AbortSignal.any([order.signal, silence.signal]);
  const response = await patiently(order, silence, () =>
    fetch(order.url, { headers: order.headers, signal, redirect: 'manual' }),
  );
  const fault = faultOf(response);
  if (fault !== undefined) {
    await response.body?.cancel().catch(() => undefined);
    throw new ImportRefused(`The register answers the request for ${order.title} with ${fault}: ${ADVICE}`);
  }
  return {
    asOf: dateOf(response) ?? new Date(Date.now() - OLDEST_LIST),
    size: sizeOf(response),
    chunks: bodyOf(response, order, silence),
  };
}

async function* bodyOf(
  response: Response,
  order: Order,
  silence: AbortController,
): AsyncGenerator<Uint8Array> {
  const body = response.body?.getReader();
  if (!body) return;
  try {
    for (;;) {
      const { done, value } = await patiently(order, silence, () => body.read());
      if (done) return;
      yield value;
    }
  } finally {
    await body.cancel().catch(() => undefined);
  }
}

/** Waits for the register, as long as it is not silent for too long; the time that others take does not count. */
async function patiently<T>(
  { title, signal, silenceMs }: Order,
  silence: AbortController,
  step: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    return await step();
  } catch (cause) {
    if (signal.aborted) throw cause;
    const why = silence.signal.aborted ? `nothing came for ${silenceMs / 1_000} s` : causeOf(cause);
    throw new ImportRefused(`The download of ${title} broke off (${why}): ${ADVICE}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** @returns what is wrong with an answer, in words; undefined when nothing is */
function faultOf(response: Response): string | undefined {
  if (response.status >= 300 && response.status < 400) return 'a redirect, which is not followed';
  if (response.status !== 200) return `status ${response.status}`;
  const type = response.headers.get('content-type') ?? 'none';
  return RIGHT_TYPE.test(type) ? undefined : `media type ${type}`;
}

function dateOf(response: Response): Date | undefined {
  const date = new Date(response.headers.get('last-modified') ?? Number.NaN);
  // A clock ahead of ours would make later changes look older than the list.
  return Number.isNaN(date.getTime()) || date.getTime() > Date.now() ? undefined : date;
}

function sizeOf(response: Response): number | undefined {
  if (response.headers.has('content-encoding')) return undefined;
  return Number(response.headers.get('content-length') ?? 0) || undefined;
}
