import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as misbehaviour from '../../../test/register-misbehaviour.ts';
import { fullRecord, fullSubUnitRecord } from '../../../test/register-records.ts';
import { startRegisterServer, type RegisterServer } from '../../../test/register-server.ts';
import { nationalRegister } from './client.ts';
import { RegisterUnavailable } from '../register.ts';

const UNIT = '333333333';
const BRANCH = '311777777';
const TIMEOUT = 600;

/** Time enough for a second try on a busy machine: milliseconds. */
const ROOMY = 4_000;

let server: RegisterServer;

beforeEach(async () => {
  server = await startRegisterServer();
  server.hold(fullRecord(UNIT), fullSubUnitRecord(BRANCH));
});

afterEach(() => server.stop());

function register(timeoutMs = TIMEOUT) {
  return nationalRegister({ baseUrl: server.baseUrl, userAgent: 'test', timeoutMs });
}

/** What a look-up by a client without history fails with, and after how many milliseconds. */
async function trouble(
  orgnr = UNIT,
  timeoutMs = TIMEOUT,
): Promise<{ error: RegisterUnavailable; ms: number }> {
  const start = performance.now();
  const error: unknown = await register(timeoutMs)
    .find(orgnr)
    .catch((error: unknown) => error);
  if (!(error instanceof RegisterUnavailable)) throw new Error(`not unavailable: ${JSON.stringify(error)}`);
  return { error, ms: performance.now() - start };
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
    const { error, ms } = await trouble();
    expect(error.message).toMatch(reason);
    expect(error.retryAfterSeconds).toBe(5);
    expect(ms).toBeLessThan(TIMEOUT);
    expect(paths()).toEqual([`/enheter/${UNIT}`]);
  });

  it.each([301, 302, 303, 307, 308])('redirects to this machine with %i', async (status) => {
    server.misbehave(misbehaviour.redirecting(`${server.baseUrl}/inside`, status), { path: '/enheter' });
    expect((await trouble()).error.message).toBe(`the register answers ${status}`);
    expect(paths()).toEqual([`/enheter/${UNIT}`]);
  });

  it.each(['length', 'chunked', 'gzip'] as const)('sends 50 megabytes (%s)', async (framing) => {
    const flood = misbehaviour.flooding(framing);
    server.misbehave(flood.how);
    expect((await trouble(UNIT, 5_000)).error.message).toMatch(/too much/);
    expect(flood.sent()).toBeLessThan(25 * 1024 * 1024);
  });

  it('is not there', async () => {
    await server.stop();
    expect((await trouble()).error.message).toMatch(/ECONNREFUSED/);
    server = await startRegisterServer();
  });
});

describe('gives up when the time for the whole look-up has passed and the register', () => {
  it.each<[string, misbehaviour.Misbehaviour]>([
    ['says nothing', misbehaviour.hanging()],
    ['is slow to begin', misbehaviour.slow(3 * TIMEOUT)],
    ['sends a byte at a time', misbehaviour.trickling(20)],
  ])('%s', async (_, how) => {
    server.misbehave(how);
    const { error, ms } = await trouble();
    expect(error.message).toMatch(/no answer within 600 ms/);
    expect(ms).toBeGreaterThanOrEqual(TIMEOUT - 5);
    expect(ms).toBeLessThan(TIMEOUT + 250);
    expect(paths()).toHaveLength(1);
  });

  it('is slow in both places', async () => {
    server.misbehave(misbehaviour.slow(0.7 * TIMEOUT));
    const { ms } = await trouble(BRANCH);
    expect(ms).toBeLessThan(TIMEOUT + 250);
    expect(paths()).toHaveLength(2);
  });

  it('but waits for one that is slow within it', async () => {
    server.misbehave(misbehaviour.slow(TIMEOUT / 2));
    expect(await register().find(UNIT)).toMatchObject({ outcome: 'found' });
  });
});

describe('a branch that is not under units', () => {
  it('is unavailable, not unknown, while the place for branches is in trouble', async () => {
    for (const how of [misbehaviour.hangingUp(), misbehaviour.failing(500), misbehaviour.html()]) {
      server.misbehave(how, { path: '/underenheter' });
      expect((await trouble(BRANCH)).error).toBeInstanceOf(RegisterUnavailable);
    }
    server.behave();
    expect(await register().find(BRANCH)).toMatchObject({ outcome: 'found' });
  });
});

describe('a second try', () => {
  it.each([429, 500, 502, 503, 504])('comes a moment after %i, and may find', async (status) => {
    server.misbehave(misbehaviour.failing(status), { times: 1 });
    expect(await register(ROOMY).find(UNIT)).toMatchObject({ outcome: 'found' });
    const [first, second] = server.requests;
    expect(second!.at - first!.at).toBeGreaterThan(95);
  });

  it('is the last one', async () => {
    server.misbehave(misbehaviour.failing(500));
    expect((await trouble(UNIT, ROOMY)).error).toMatchObject({
      message: 'the register answers 500',
      retryAfterSeconds: 5,
    });
    expect(paths()).toHaveLength(2);
  });

  it('is one for the whole look-up, not for each place', async () => {
    server.misbehave(misbehaviour.failing(500), { path: '/underenheter' });
    server.misbehave(misbehaviour.failing(500), { path: '/enheter', times: 1 });
    await trouble(BRANCH, ROOMY);
    expect(paths()).toEqual([`/enheter/${BRANCH}`, `/enheter/${BRANCH}`, `/underenheter/${BRANCH}`]);
  });

  it('waits as long as the register asks when that fits', async () => {
    server.misbehave(misbehaviour.failing(429, { 'retry-after': '1' }), { times: 1 });
    expect(await register(ROOMY).find(UNIT)).toMatchObject({ outcome: 'found' });
    const [first, second] = server.requests;
    expect(second!.at - first!.at).toBeGreaterThan(1_000);
  });

  it.each([429, 503])(
    'is left out when the register asks for more time than there is (%i)',
    async (status) => {
      server.misbehave(misbehaviour.failing(status, { 'retry-after': '120' }));
      const { error, ms } = await trouble();
      expect(error.retryAfterSeconds).toBe(120);
      expect(ms).toBeLessThan(TIMEOUT / 2);
      expect(paths()).toHaveLength(1);
    },
  );

  it('is left out when the register names a later hour', async () => {
    const later = new Date(Date.now() + 90_000).toUTCString();
    server.misbehave(misbehaviour.failing(503, { 'retry-after': later }));
    const { error } = await trouble();
    expect(error.retryAfterSeconds).toBeGreaterThan(85);
    expect(error.retryAfterSeconds).toBeLessThan(92);
    expect(paths()).toHaveLength(1);
  });

  it.each(['soon', '-1', '', '0'])('comes as usual when the register asks for %j', async (wish) => {
    server.misbehave(misbehaviour.failing(503, { 'retry-after': wish }));
    expect((await trouble(UNIT, ROOMY)).error.retryAfterSeconds).toBe(5);
    expect(paths()).toHaveLength(2);
  });

  it('is told and held off as one value when the register asks for days', async () => {
    server.misbehave(misbehaviour.failing(503, { 'retry-after': '99999999999999999999' }));
    const national = register(ROOMY);
    const failure = await national.find(UNIT).catch((error: unknown) => error);
    expect(failure).toMatchObject({ retryAfterSeconds: 300 });
    expect((await national.status()).facts.asked_again_in_seconds).toBe(300);
    expect(paths()).toHaveLength(1);
  });
});
