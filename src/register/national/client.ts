import { setTimeout as pause } from 'node:timers/promises';
import { KINDS, RegisterUnavailable, type Register, type RegisterAnswer } from '../register.ts';
import { readRecord, readRemoval, type Reading } from './answer.ts';
import { createCallPolicy, type CallLimits } from './call-policy.ts';
import { get, MAX_RETRY_AFTER_SECONDS, RETRY_AFTER_SECONDS, type RegisterResponse } from './request.ts';
import { nationalSearch } from './search.ts';
import { LISTS, mediaType, type Source } from './source.ts';

/** The number of the register itself, which is always registered. */
export const KNOWN_ORGNR = '974760673';

const LIMITS: CallLimits = {
  concurrentCalls: 16,
  queuedCalls: 256,
  failuresToOpen: 5,
  openMs: 5_000,
  maxOpenMs: 60_000,
  maxPauseMs: MAX_RETRY_AFTER_SECONDS * 1_000,
};

/** Before the second try: the shortest pause, the most that is added at random, and the least time left for it. */
const RETRY_PAUSE_MS = 100;
const RETRY_JITTER_MS = 250;
const MIN_RETRY_MS = 250;

/** What one look-up or search may use: `deadline` in the milliseconds of performance.now(). */
type Budget = { signal: AbortSignal; deadline: number; retries: number };

/**
 * A client of the national register. Look-ups are not cached: each sends a request.
 * @param options.timeoutMs for a whole look-up or search, with the wait in the queue and the second try
 */
export function nationalRegister(
  options: Source & { timeoutMs: number; limits?: Partial<CallLimits> },
): Register {
  const { baseUrl } = options;
  const policy = createCallPolicy({ ...LIMITS, ...options.limits });
  /** Whether the register has found a number since it last failed; only then does its 404 count. */
  let isProven = false;
  let lastAnswer: string | null = null;
  let lastTrouble: string | null = null;

  async function find(orgnr: string): Promise<RegisterAnswer> {
    const reading = await inTime(1, (budget) => readBelieved(orgnr, budget));
    if (reading.outcome === 'unreadable') {
      const { why, fault } = reading;
      isProven &&= fault === 'unit';
      throw recordTrouble(new RegisterUnavailable(why, RETRY_AFTER_SECONDS, { fault }));
    }
    lastAnswer = Temporal.Now.instant().toString();
    isProven ||= reading.outcome === 'found';
    return reading;
  }

  /** A search is not retried: the number of searches per second is limited. */
  const search = nationalSearch({
    find,
    async get(path) {
      const response = await inTime(0, async (budget) => {
        const answer = await getWithRetry(`${baseUrl}/${path}`, mediaType('unit', 'json'), budget);
        return answer.status === 200 || answer.status === 400 ? answer : refuse(answer);
      });
      lastAnswer = Temporal.Now.instant().toString();
      return response;
    },
  });

  async function inTime<T>(retries: number, work: (budget: Budget) => Promise<T>): Promise<T> {
    const { timeoutMs } = options;
    const limit = new AbortController();
    const late = new RegisterUnavailable(`no answer within ${timeoutMs} ms`, RETRY_AFTER_SECONDS);
    const timer = setTimeout(() => limit.abort(late), timeoutMs);
    const budget = { signal: limit.signal, deadline: performance.now() + timeoutMs, retries };
    try {
      return await policy.run(() => work(budget), limit.signal);
    } catch (error) {
      isProven = false;
      throw recordTrouble(limit.signal.aborted ? late : error);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Accepts "unknown" only from a register that has found a number since it last failed, or now finds its own. Accepts
   * a removal that does not name its day only from a register that now finds its own number: an API that was shut down
   * can also answer 410, and a removal erases what companies have.
   */
  async function readBelieved(orgnr: string, budget: Budget): Promise<Reading> {
    const reading = await read(orgnr, budget);
    const isBelieved = reading.outcome === 'removed' ? reading.on !== null : isProven;
    if (isBelieved || (reading.outcome !== 'unknown' && reading.outcome !== 'removed')) return reading;
    if (orgnr !== KNOWN_ORGNR && (await read(KNOWN_ORGNR, budget)).outcome === 'found') {
      isProven = true;
      return reading;
    }
    throw new RegisterUnavailable(
      `${baseUrl} does not know ${KNOWN_ORGNR}, the register's own number: check REGISTER_URL`,
      RETRY_AFTER_SECONDS,
    );
  }

  async function read(orgnr: string, budget: Budget): Promise<Reading> {
    for (const kind of KINDS) {
      const url = `${baseUrl}/${LISTS[kind].path}/${orgnr}`;
      const response = await getWithRetry(url, mediaType(kind, 'json'), budget);
      const { status, body } = response;
      switch (status) {
        case 200:
          return readRecord(body, orgnr);
        case 410:
          return readRemoval(body, orgnr);
        case 400:
          return { outcome: 'unreadable', why: `the register calls ${orgnr} malformed`, fault: 'register' };
        case 404:
          // The register's own 404 has no body; one with a body comes from something else.
          if (body === undefined) continue;
          return { outcome: 'unreadable', why: 'the register answers 404 with a body', fault: 'register' };
        default:
          refuse(response);
      }
    }
    return { outcome: 'unknown' };
  }

  /** Retries 429 and 5xx once per look-up, if there is time. */
  async function getWithRetry(url: string, accept: string, budget: Budget): Promise<RegisterResponse> {
    const response = await get({ url, accept, userAgent: options.userAgent, signal: budget.signal });
    if (response.status !== 429 && response.status < 500) return response;
    const requestedMs = (response.retryAfterSeconds ?? 0) * 1_000;
    const waitMs = requestedMs + RETRY_PAUSE_MS + Math.random() * RETRY_JITTER_MS;
    if (budget.retries === 0 || performance.now() + waitMs + MIN_RETRY_MS > budget.deadline) {
      if (requestedMs > 0) policy.pause(requestedMs);
      return response;
    }
    budget.retries -= 1;
    await pause(waitMs);
    return getWithRetry(url, accept, budget);
  }

  function recordTrouble(error: unknown): unknown {
    if (error instanceof RegisterUnavailable) {
      lastTrouble = `${Temporal.Now.instant().toString()} ${error.message}`;
    }
    return error;
  }

  return {
    title: 'national register',
    find,
    search,
    async status() {
      const calls = { calls_under_way: policy.callsUnderWay(), calls_in_line: policy.callsQueued() };
      return {
        source: 'national',
        facts: {
          address: baseUrl,
          breaker: policy.state(),
          asked_again_in_seconds: policy.secondsUntilNextCall(),
          ...calls,
          last_answer: lastAnswer,
          last_trouble: lastTrouble,
        },
        gauges: { breaker_open: BREAKER_OPEN[policy.state()], ...calls },
      };
    },
  };
}

function refuse({ status, retryAfterSeconds }: RegisterResponse): never {
  throw new RegisterUnavailable(`the register answers ${status}`, retryAfterSeconds || RETRY_AFTER_SECONDS);
}

const BREAKER_OPEN = { closed: 0, 'half-open': 0.5, open: 1 };
