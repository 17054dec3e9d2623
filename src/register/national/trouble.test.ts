import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as misbehaviour from '../../../test/register-misbehaviour.ts';
import { fullRecord, fullSubUnitRecord } from '../../../test/register-records.ts';
import { startRegisterServer, type RegisterServer } from '../../../test/register-server.ts';
import { until } from '../../../test/until.ts';
import { nationalRegister } from './client.ts';
import { RegisterUnavailable } from '../register.ts';

const UNIT = '333333333';
const BRANCH = '311777777';
/** Longer than any of these tests takes, in milliseconds. */
const TIMEOUT = 25_000;

let server: RegisterServer;

beforeEach(async () => {
  server = await startRegisterServer();
  server.hold(fullRecord(UNIT), fullSubUnitRecord(BRANCH));
});

afterEach(() => server.stop());

function register() {
  return nationalRegister({ baseUrl: server.baseUrl, userAgent: 'test', timeoutMs: TIMEOUT });
}

/** What a look-up by a new client fails with. */
async function trouble(orgnr = UNIT): Promise<RegisterUnavailable> {
  const error: unknown = await register()
    .find(orgnr)
    .catch((error: unknown) => error);
  if (!(error instanceof RegisterUnavailable)) throw new Error(`not unavailable: ${JSON.stringify(error)}`);
  return error;
}

function paths(): string[] {
  return server.requests.map(({ path }) => path);
}

describe('is unavailable, without a second try, when the register', () => {
  const other = fullRecord('310211036');

  it.each<[string, misbehaviour.Misbehaviour, RegExp]>([
    ['sends a page for people', misbehaviour.html(), /media type text\/html/],
    ['sends a page for people that says "not found"', misbehaviour.html(404), /media type text\/html/],
    ['sends a page for people that says "gone"', misbehaviour.html(410), /media type text\/html/],
    ['sends nothing', misbehaviour.saying(''), /no unit/],
    ['sends garbage', misbehaviour.saying('{"organisasjonsnummer": "333333333", navn'), /broken JSON/],
    ['sends bytes that are no UTF-8', misbehaviour.saying(Uint8Array.of(0x22, 0xff, 0x22)), /breaks off/],
    ['sends 100 000 open brackets', misbehaviour.saying('['.repeat(100_000)), /broken JSON/],
    ['sends an array', misbehaviour.saying('[]'), /no unit/],
    ['sends null', misbehaviour.saying('null'), /no unit/],
    ['sends an empty record', misbehaviour.saying('{}'), /no unit/],
    ['sends an unfinished record', misbehaviour.halving(), /broken JSON/],
    ['cuts off an answer of known length', misbehaviour.cuttingOff('length'), /breaks off/],
    ['cuts off a chunked answer', misbehaviour.cuttingOff('chunked'), /breaks off/],
    ['sends the record of another number', misbehaviour.lying('310211036'), /another number/],
    ['sends another record whole', misbehaviour.saying(JSON.stringify(other)), /another number/],
    ['hangs up', misbehaviour.hangingUp(), /does not answer/],
    ['calls the number malformed', misbehaviour.failing(400), /malformed/],
    ['does not know the path', misbehaviour.failing(404), /404 with a body/],
    ['turns us away', misbehaviour.failing(403), /answers 403/],
    ['does not speak our version', misbehaviour.failing(406), /answers 406/],
    ['answers 204', misbehaviour.failing(204), /answers 204/],
  ])('%s', async (_, how, reason) => {
    server.misbehave(how);
    const error = await trouble();
    expect(error.message).toMatch(reason);
    expect(error.retryAfterSeconds).toBe(5);
    expect(paths()).toEqual([`/enheter/${UNIT}`]);
  });

  it.each([301, 302, 303, 307, 308])('redirects to this machine with %i', async (status) => {
    server.misbehave(misbehaviour.redirecting(`${server.baseUrl}/inside`, status), { path: '/enheter' });
    expect((await trouble()).message).toBe(`the register answers ${status}`);
    expect(paths()).toEqual([`/enheter/${UNIT}`]);
  });

  it.each(['length', 'chunked', 'gzip'] as const)('sends 50 megabytes (%s)', async (framing) => {
    const flood = misbehaviour.flooding(framing);
    server.misbehave(flood.how);
    expect((await trouble()).message).toMatch(/too much/);
    expect(flood.sent()).toBeLessThan(25 * 1024 * 1024);
  });

  it('is not there', async () => {
    await server.stop();
    expect((await trouble()).message).toMatch(/ECONNREFUSED/);
    server = await startRegisterServer();
  });
});

/** What a look-up fails with when its time has passed; undefined when it ends before that. */
async function timedOut(orgnr: string, requests: number): Promise<unknown> {
  const outcome = register()
    .find(orgnr)
    .catch((error: Error) => error.message);
  let settled = false;
  void outcome.then(() => (settled = true));
  await until(() => paths().length === requests);
  vi.advanceTimersByTime(TIMEOUT - 1);
  await setImmediate();
  if (settled || paths().length !== requests) return undefined;
  vi.advanceTimersByTime(1);
  return outcome;
}

describe('the time for a whole look-up', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('is waited for: an answer may come just in time', async () => {
    const held = misbehaviour.holding();
    server.misbehave(held.how);
    const finding = register().find(UNIT);
    await until(() => paths().length === 1);
    vi.advanceTimersByTime(TIMEOUT - 1);
    held.release();
    expect(await finding).toMatchObject({ outcome: 'found' });
  });

  it('passes while the register says nothing', async () => {
    server.misbehave(misbehaviour.hanging());
    expect(await timedOut(UNIT, 1)).toBe(`no answer within ${TIMEOUT} ms`);
  });

  it('passes while the register sends a byte at a time', async () => {
    server.misbehave(misbehaviour.trickling(20));
    expect(await timedOut(UNIT, 1)).toBe(`no answer within ${TIMEOUT} ms`);
  });

  it('passes while the register is silent on the second path', async () => {
    server.misbehave(misbehaviour.hanging(), { path: '/underenheter' });
    expect(await timedOut(BRANCH, 2)).toBe(`no answer within ${TIMEOUT} ms`);
  });
});

describe('a branch that is not found on the path of units', () => {
  it('is unavailable, not unknown, while the path of branches is in trouble', async () => {
    for (const how of [misbehaviour.hangingUp(), misbehaviour.failing(500), misbehaviour.html()]) {
      server.misbehave(how, { path: '/underenheter' });
      expect(await trouble(BRANCH)).toBeInstanceOf(RegisterUnavailable);
    }
    server.behave();
    expect(await register().find(BRANCH)).toMatchObject({ outcome: 'found' });
  });
});

describe('a second try', () => {
  it.each([429, 500, 502, 503, 504])('comes a moment after %i, and may succeed', async (status) => {
    server.misbehave(misbehaviour.failing(status), { times: 1 });
    expect(await register().find(UNIT)).toMatchObject({ outcome: 'found' });
    const [first, second] = server.requests;
    expect(second!.at - first!.at).toBeGreaterThan(95);
  });

  it('is the last one', async () => {
    server.misbehave(misbehaviour.failing(500));
    expect(await trouble()).toMatchObject({
      message: 'the register answers 500',
      retryAfterSeconds: 5,
    });
    expect(paths()).toHaveLength(2);
  });

  it('is one for the whole look-up, not for each path', async () => {
    server.misbehave(misbehaviour.failing(500), { path: '/underenheter' });
    server.misbehave(misbehaviour.failing(500), { path: '/enheter', times: 1 });
    await trouble(BRANCH);
    expect(paths()).toEqual([`/enheter/${BRANCH}`, `/enheter/${BRANCH}`, `/underenheter/${BRANCH}`]);
  });

  it('waits as long as the register asks when that fits', async () => {
    server.misbehave(misbehaviour.failing(429, { 'retry-after': '1' }), { times: 1 });
    expect(await register().find(UNIT)).toMatchObject({ outcome: 'found' });
    const [first, second] = server.requests;
    expect(second!.at - first!.at).toBeGreaterThan(1_000);
  });

  it.each([429, 503])(
    'is left out when the register asks for more time than there is (%i)',
    async (status) => {
      server.misbehave(misbehaviour.failing(status, { 'retry-after': '120' }));
      expect((await trouble()).retryAfterSeconds).toBe(120);
      expect(paths()).toHaveLength(1);
    },
  );

  it('is left out when the register names a later hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const later = new Date(Date.now() + 90_000).toUTCString();
    server.misbehave(misbehaviour.failing(503, { 'retry-after': later }));
    const error = await trouble();
    expect(error.retryAfterSeconds).toBeGreaterThan(85);
    expect(error.retryAfterSeconds).toBeLessThan(92);
    expect(paths()).toHaveLength(1);
  });

  it.each(['soon', '-1', '', '0'])('comes as usual when the register asks for %j', async (wish) => {
    server.misbehave(misbehaviour.failing(503, { 'retry-after': wish }));
    expect((await trouble()).retryAfterSeconds).toBe(5);
    expect(paths()).toHaveLength(2);
  });

  it('is left out when the register asks for days: the pause that is kept is the one that is reported', async () => {
    server.misbehave(misbehaviour.failing(503, { 'retry-after': '99999999999999999999' }));
    const national = register();
    const failure = await national.find(UNIT).catch((error: unknown) => error);
    expect(failure).toMatchObject({ retryAfterSeconds: 300 });
    expect((await national.status()).facts.asked_again_in_seconds).toBe(300);
    expect(paths()).toHaveLength(1);
  });
});
