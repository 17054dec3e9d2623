import { describeFault, isUnreachable } from '../../national/request.ts';
import { LISTS, mediaType, type Source } from '../../national/source.ts';
import { KINDS, PLURALS } from '../../register.ts';
import { ImportRefused, type BulkSource } from './source.ts';

/** A file without a date is taken to be this old, in addition to `MARGIN` of load.ts: a new file may be late. */
const AGE_WITHOUT_DATE = Temporal.Duration.from({ hours: 12 });

/** Time without a single byte; the whole download may take as long as it needs. */
const MAX_SILENCE_MS = 60_000;

/** Downloads are not retried: the register has been seen to break off again soon after. */
const ADVICE = 'try again on another day, not at once';

/** Gzip, or JSON where a server treats the gzip as a content encoding. */
const RIGHT_TYPE = /^application\/(?:(?:[\w.-]+\+)?(?:gzip|json)|x-gzip|octet-stream)\s*(?:;|$)/i;

/** The register's two files; each is requested when it is opened. */
export function downloadSources(options: Source & { maxSilenceMs?: number }): BulkSource[] {
  const { baseUrl, userAgent, maxSilenceMs = MAX_SILENCE_MS } = options;
  return KINDS.map((kind) => {
    const title = `the list of ${PLURALS[kind]}`;
    return {
      title,
      advice: ADVICE,
      async open(signal) {
        const silence = new AbortController();
        const wait: Wait = (step) => waitForRegister(step, { title, signal, silence, maxSilenceMs });
        const response = await wait(() =>
          fetch(`${baseUrl}/${LISTS[kind].path}/lastned`, {
            headers: { accept: mediaType(kind, 'gzip'), 'user-agent': userAgent },
            redirect: 'manual',
            signal: AbortSignal.any([signal, silence.signal]),
          }),
        );
        const fault = faultOf(response);
        if (fault !== undefined) {
          await response.body?.cancel().catch(() => undefined);
          throw new ImportRefused(`The register answers the request for ${title} with ${fault}: ${ADVICE}`);
        }
        return {
          date: dateOf(response) ?? Temporal.Now.instant().subtract(AGE_WITHOUT_DATE),
          size: sizeOf(response),
          chunks: readBody(response, wait),
        };
      },
    };
  });
}

type Wait = <T>(step: () => Promise<T>) => Promise<T>;

async function* readBody(response: Response, wait: Wait): AsyncGenerator<Uint8Array> {
  const body = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await wait(() => body.read());
      if (done) return;
      yield value;
    }
  } finally {
    await body.cancel().catch(() => undefined);
  }
}

/** Limits the time that the register takes; the time in which its bytes are processed does not count. */
async function waitForRegister<T>(
  step: () => Promise<T>,
  options: { title: string; signal: AbortSignal; silence: AbortController; maxSilenceMs: number },
): Promise<T> {
  const { title, signal, silence, maxSilenceMs } = options;
  const timer = setTimeout(() => silence.abort(), maxSilenceMs);
  try {
    return await step();
  } catch (cause) {
    if (signal.aborted) throw cause;
    if (isUnreachable(cause)) {
      throw new ImportRefused(`The download of ${title} failed: ${describeFault(cause)}`, { cause });
    }
    const why = silence.signal.aborted ? `nothing came for ${maxSilenceMs / 1_000} s` : describeFault(cause);
    throw new ImportRefused(`The download of ${title} broke off (${why}): ${ADVICE}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** What is wrong with an answer; undefined when nothing is. */
function faultOf(response: Response): string | undefined {
  if (response.status >= 300 && response.status < 400) return 'a redirect, which is not followed';
  if (response.status !== 200) return `status ${response.status}`;
  const type = response.headers.get('content-type') ?? 'none';
  return RIGHT_TYPE.test(type) ? undefined : `media type ${type}`;
}

/** Undefined for a date in the future: later changes would then look older than the file. */
function dateOf(response: Response): Temporal.Instant | undefined {
  const time = Date.parse(response.headers.get('last-modified') ?? '');
  return time <= Date.now() ? Temporal.Instant.fromEpochMilliseconds(time) : undefined;
}

function sizeOf(response: Response): number | undefined {
  if (response.headers.has('content-encoding')) return undefined;
  return Number(response.headers.get('content-length') ?? 0) || undefined;
}
