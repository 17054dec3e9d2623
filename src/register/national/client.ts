import { setTimeout as pause } from 'node:timers/promises';
import { readRecord, readRemoval, type Reading } from './answer.ts';
import { guard, type GuardOptions } from './guard.ts';
import { get, MAX_RETRY_AFTER, RETRY_LATER, type RegisterResponse } from './request.ts';
import { RecordUnreadable, RegisterUnavailable, type Register, type RegisterAnswer } from '../register.ts';

export type NationalRegisterOptions = {
  /** Where the register's interface begins, such as https://data.brreg.no/enhetsregisteret/api. */
  baseUrl: string;
  /** Who asks, with a way to reach them: the register wants to know. */
  userAgent: string;
  /** The longest a whole look-up may take, waiting in line and retrying included; milliseconds. */
  timeoutMs: number;
  guard?: Partial<GuardOptions>;
};

export type NationalRegister = Register & {
  /**
   * Looks a number up that is always there, so that trouble with another is known to be that number's own.
   * @throws {RegisterUnavailable} when the register is not well
   */
  prove(): Promise<void>;
};

const GUARD: GuardOptions = {
  concurrentCalls: 16,
  queuedCalls: 256,
  failuresToOpen: 5,
  openMs: 5_000,
  longestOpenMs: 60_000,
  longestHoldOffMs: MAX_RETRY_AFTER * 1_000,
};

/** A unit that will not go away: the one that keeps the register. */
export const KNOWN_ORGNR = '974760673';

/** A unit is under the one or the other, branches under the second. The versions are pinned. */
const UNIT_KINDS = [
  { path: 'enheter', accept: 'application/vnd.brreg.enhetsregisteret.enhet.v2+json' },
  { path: 'underenheter', accept: 'application/vnd.brreg.enhetsregisteret.underenhet.v2+json' },
] as const;

/** Milliseconds. The shortest pause before a second try, the most that chance adds, the least left for it. */
const RETRY_PAUSE = 100;
const RETRY_JITTER = 250;
const RETRY_ROOM = 250;

/** The national register, asked again for every look-up. No failure is remembered as an answer. */
export function nationalRegister(options: NationalRegisterOptions): NationalRegister {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const door = guard({ ...GUARD, ...options.guard });
  /** Whether the register has answered rightly since it last failed: only then is its 404 believed. */
  let proven = false;
  let lastAnswer: string | null = null;
  let lastTrouble: string | null = null;

  async function lookUp(orgnr: string): Promise<RegisterAnswer> {
    const limit = timeLimit(options.timeoutMs);
    try {
      // Twice: the inner one frees the place in time whatever fetch does, the outer one ends the wait for it.
      const asking = door.run(() => Promise.race([ask(orgnr, limit), limit.passed]), limit.signal);
      const reading = await Promise.race([asking, limit.passed]);
      if (reading.outcome === 'unreadable') {
        const Fault = reading.ofThisUnit ? RecordUnreadable : RegisterUnavailable;
        throw new Fault(reading.why, RETRY_LATER);
      }
      lastAnswer = new Date().toISOString();
      proven ||= reading.outcome === 'found';
      return reading;
    } catch (error) {
      proven &&= error instanceof RecordUnreadable;
      if (error instanceof RegisterUnavailable) lastTrouble = `${new Date().toISOString()} ${error.message}`;
      throw error;
    } finally {
      limit.clear();
    }
  }

  /** @throws {RegisterUnavailable} where the fault is the register's, not that of this one number's record */
  async function ask(orgnr: string, limit: TimeLimit): Promise<Reading> {
    const reading = await read(orgnr, limit);
    if (reading.outcome !== 'unknown' || proven) return reading;
    if (orgnr !== KNOWN_ORGNR && (await read(KNOWN_ORGNR, limit)).outcome === 'found') {
      proven = true;
      return reading;
    }
    throw new RegisterUnavailable(
      `${baseUrl} does not know ${KNOWN_ORGNR}, the register's own number: check REGISTER_URL`,
      RETRY_LATER,
    );
  }

  async function read(orgnr: string, limit: TimeLimit): Promise<Reading> {
    const tries = { left: 2 };
    for (const { path, accept } of UNIT_KINDS) {
      const request = { url: `${baseUrl}/${path}/${orgnr}`, accept, userAgent: options.userAgent };
      const response = await getPatiently(request, limit, tries);
      switch (response.status) {
        case 200:
          return readRecord(response.body, orgnr);
        case 410:
          return readRemoval(response.body, orgnr);
        case 400:
          return { outcome: 'unreadable', why: `the register calls ${orgnr} malformed` };
        case 404:
          // The register's own is empty; one with a body means that something else answers there.
          if (response.body === undefined) continue;
          return { outcome: 'unreadable', why: 'the register answers 404 with a body' };
        default:
          throw outOfReach(response);
      }
    }
    return { outcome: 'unknown' };
  }

  /** One second try for a whole look-up, and only where the register may do better the next moment. */
  async function getPatiently(
    request: { url: string; accept: string; userAgent: string },
    limit: TimeLimit,
    tries: { left: number },
  ): Promise<RegisterResponse> {
    const response = await get({ ...request, signal: limit.signal });
    if (response.status !== 429 && response.status < 500) return response;

    tries.left -= 1;
    const wait = (response.retryAfterSeconds ?? 0) * 1_000 + RETRY_PAUSE + Math.random() * RETRY_JITTER;
    if (tries.left === 0 || wait + RETRY_ROOM > limit.remaining()) {
      const asked = (response.retryAfterSeconds ?? 0) * 1_000;
      if (asked > 0) door.holdOff(asked);
      return response;
    }
    await pause(wait);
    return getPatiently(request, limit, tries);
  }

  return {
    title: 'the national register',
    find: lookUp,
    async prove() {
      const { outcome } = await lookUp(KNOWN_ORGNR);
      if (outcome !== 'found') {
        throw new RegisterUnavailable(
          `the register says that ${KNOWN_ORGNR}, its own number, is ${outcome}`,
          60,
        );
      }
    },
    async status() {
      return {
        source: 'national',
        facts: {
          address: baseUrl,
          breaker: door.state(),
          asked_again_in_seconds: door.secondsClosedOff(),
          calls_under_way: door.underWay(),
          calls_in_line: door.inLine(),
          last_answer: lastAnswer,
          last_trouble: lastTrouble,
        },
        gauges: {
          breaker_open: BREAKER_OPEN[door.state()],
          calls_under_way: door.underWay(),
          calls_in_line: door.inLine(),
        },
      };
    },
  };
}

const BREAKER_OPEN = { closed: 0, 'half-open': 0.5, open: 1 };

function outOfReach({ status, retryAfterSeconds }: RegisterResponse): RegisterUnavailable {
  return new RegisterUnavailable(`the register answers ${status}`, retryAfterSeconds || RETRY_LATER);
}

type TimeLimit = {
  signal: AbortSignal;
  /** Milliseconds. */
  remaining(): number;
  /** Rejects when the time is up. */
  passed: Promise<never>;
  clear(): void;
};

function timeLimit(ms: number): TimeLimit {
  const end = performance.now() + ms;
  const controller = new AbortController();
  const { promise: passed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const late = new RegisterUnavailable(`no answer within ${ms} ms`, RETRY_LATER);
    controller.abort(late);
    reject(late);
  }, ms);
  return {
    signal: controller.signal,
    remaining: () => end - performance.now(),
    passed,
    clear: () => clearTimeout(timer),
  };
}
