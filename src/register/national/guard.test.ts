import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as misbehaviour from '../../../test/register-misbehaviour.ts';
import { recordOf } from '../../../test/register-records.ts';
import { startRegisterServer, type RegisterServer } from '../../../test/register-server.ts';
import type { GuardOptions } from './guard.ts';
import { nationalRegister, type NationalRegister } from './client.ts';
import { RegisterUnavailable } from '../register.ts';
import { generatedOrgnr } from '../../../test/generated-orgnr.ts';
import { generatedUnit } from '../sandbox/generated.ts';

const NUMBERS = Array.from({ length: 60 }, (_, index) => generatedOrgnr(index));

const OPEN_MS = 400;
const TIMEOUT = 800;

/** Next to nothing, on a busy machine: milliseconds. */
const AT_ONCE = 200;

let server: RegisterServer;

beforeEach(async () => {
  server = await startRegisterServer();
  server.hold(...NUMBERS.map(generatedUnit).map(recordOf));
});

afterEach(() => server.stop());

function register(guard: Partial<GuardOptions> = {}, timeoutMs = TIMEOUT): NationalRegister {
  const options = { openMs: OPEN_MS, longestOpenMs: 10 * OPEN_MS, failuresToOpen: 3, ...guard };
  return nationalRegister({ baseUrl: server.baseUrl, userAgent: 'test', timeoutMs, guard: options });
}

/** One look-up: its failure if it failed, and how long it took. */
async function attempt(national: NationalRegister, orgnr: string) {
  const start = performance.now();
  const result = await national.find(orgnr).catch((error: unknown) => error);
  const error = result instanceof RegisterUnavailable ? result : null;
  return { error, ms: performance.now() - start };
}

async function openBreaker(national: NationalRegister): Promise<void> {
  server.misbehave(misbehaviour.hangingUp());
  for (const orgnr of NUMBERS.slice(0, 3)) await attempt(national, orgnr);
  expect(national.breakerState()).toBe('open');
  server.requests.length = 0;
}

describe('the breaker', () => {
  it('opens after failures in a row, and then costs a client next to nothing', async () => {
    const national = register();
    await openBreaker(national);
    for (const orgnr of NUMBERS) {
      const { error, ms } = await attempt(national, orgnr);
      expect(error?.message).toBe('the register is not asked for a while');
      expect(error?.retryAfterSeconds).toBe(1);
      expect(ms).toBeLessThan(AT_ONCE);
    }
    expect(server.requests).toEqual([]);
  });

  it('shows in the status', async () => {
    const national = register({ openMs: 30_000, longestOpenMs: 30_000 });
    await openBreaker(national);
    const { facts } = await national.status();
    expect(facts).toMatchObject({
      breaker: 'open',
      last_answer: null,
      last_trouble: expect.stringMatching(/Z the register does not answer/),
    });
    expect(facts.asked_again_in_seconds).toBeGreaterThan(20);
    expect((await attempt(national, NUMBERS[0]!)).error?.retryAfterSeconds).toBeGreaterThan(20);
  });

  it('opens for a register that hangs, so that the next client does not wait', async () => {
    server.misbehave(misbehaviour.hanging());
    const national = register();
    await Promise.all(NUMBERS.slice(0, 3).map((orgnr) => attempt(national, orgnr)));
    expect((await attempt(national, NUMBERS[9]!)).ms).toBeLessThan(AT_ONCE);
  });

  it('lets one look-up try again, refuses others meanwhile, and closes when it succeeds', async () => {
    const national = register();
    await openBreaker(national);
    server.behave();
    server.misbehave(misbehaviour.slow(300));
    await untilAskedAgain(national);

    const probe = attempt(national, NUMBERS[0]!);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    expect(national.breakerState()).toBe('half-open');
    const meanwhile = await attempt(national, NUMBERS[1]!);
    expect(meanwhile.error?.message).toBe('the register is being probed');
    expect(meanwhile.ms).toBeLessThan(AT_ONCE);

    expect((await probe).error).toBeNull();
    expect(national.breakerState()).toBe('closed');
    expect((await attempt(national, NUMBERS[1]!)).error).toBeNull();
  });

  it('stays open for longer each time a probe fails', async () => {
    const national = register();
    await openBreaker(national);
    await untilAskedAgain(national);
    await attempt(national, NUMBERS[0]!);
    expect(server.requests).toHaveLength(1);
    expect(national.breakerState()).toBe('open');

    const start = performance.now();
    await untilAskedAgain(national);
    expect(performance.now() - start).toBeGreaterThan(1.5 * OPEN_MS);
  });

  it('does not open for a number whose own record is odd, nor for numbers that are unknown', async () => {
    const national = register();
    server.misbehave(misbehaviour.lying('310211036'), { path: NUMBERS[0]! });
    for (let time = 0; time < 6; time += 1) {
      expect((await attempt(national, NUMBERS[0]!)).error?.message).toMatch(/another number/);
      await national.find('388444444');
    }
    expect(national.breakerState()).toBe('closed');
    expect((await attempt(national, NUMBERS[1]!)).error).toBeNull();
  });

  it('does not open while successes come in between', async () => {
    const national = register();
    server.misbehave(misbehaviour.hangingUp(), { path: NUMBERS[0]! });
    for (let time = 0; time < 6; time += 1) {
      await attempt(national, NUMBERS[0]!);
      expect((await attempt(national, NUMBERS[1]!)).error).toBeNull();
    }
    expect(national.breakerState()).toBe('closed');
  });
});

describe('the cap on calls', () => {
  it('keeps to so many calls at one time and serves all in turn', async () => {
    let atOnce = 0;
    let most = 0;
    const slow = misbehaviour.slow(20);
    server.misbehave(async (exchange) => {
      most = Math.max(most, (atOnce += 1));
      await slow(exchange);
      atOnce -= 1;
    });
    const national = register({ concurrentCalls: 4 }, 5_000);
    const results = await Promise.all(NUMBERS.map((orgnr) => attempt(national, orgnr)));
    expect(results.filter(({ error }) => error)).toEqual([]);
    expect(most).toBe(4);
  });

  it('turns away at once what does not fit in line', async () => {
    server.misbehave(misbehaviour.slow(300));
    const national = register({ concurrentCalls: 2, queuedCalls: 3 }, 5_000);
    const results = await Promise.all(NUMBERS.slice(0, 10).map((orgnr) => attempt(national, orgnr)));
    const refused = results.filter(({ error }) => error);
    expect(refused).toHaveLength(5);
    for (const { error, ms } of refused) {
      expect(error).toMatchObject({ message: 'too many look-ups wait in line', retryAfterSeconds: 1 });
      expect(ms).toBeLessThan(AT_ONCE);
    }
  });

  it('counts the time in line as part of the look-up, and keeps no place for those who gave up', async () => {
    server.misbehave(misbehaviour.hanging());
    const national = register({ concurrentCalls: 1, failuresToOpen: 50 });
    const results = await Promise.all(NUMBERS.slice(0, 5).map((orgnr) => attempt(national, orgnr)));
    for (const { error, ms } of results) {
      expect(error).toBeInstanceOf(RegisterUnavailable);
      expect(ms).toBeLessThan(TIMEOUT + AT_ONCE);
    }
    expect((await national.status()).facts).toMatchObject({ calls_under_way: 0, calls_in_line: 0 });
  });

  it('does not send what waits in line to a register that has just failed', async () => {
    server.misbehave(misbehaviour.slow(50));
    server.misbehave(misbehaviour.hangingUp(), { times: 3 });
    const national = register({ concurrentCalls: 1 });
    await Promise.all(NUMBERS.slice(0, 20).map((orgnr) => attempt(national, orgnr)));
    expect(server.requests).toHaveLength(3);
  });
});

describe('a register that asks for time', () => {
  it('is left alone for it, by look-ups of other numbers too', async () => {
    server.misbehave(misbehaviour.failing(429, { 'retry-after': '20' }), { times: 1 });
    const national = register();
    expect((await attempt(national, NUMBERS[0]!)).error?.retryAfterSeconds).toBe(20);
    const { error, ms } = await attempt(national, NUMBERS[1]!);
    expect(error?.retryAfterSeconds).toBeGreaterThan(17);
    expect(ms).toBeLessThan(AT_ONCE);
    expect(server.requests).toHaveLength(1);
    expect((await national.status()).facts.asked_again_in_seconds).toBeGreaterThan(17);
  });

  it('is left alone by what already waits in line', async () => {
    server.misbehave(misbehaviour.failing(503, { 'retry-after': '20' }), { times: 1 });
    const national = register({ concurrentCalls: 1 });
    const results = await Promise.all(NUMBERS.slice(0, 5).map((orgnr) => attempt(national, orgnr)));
    for (const { error } of results) expect(error?.retryAfterSeconds).toBeGreaterThan(17);
    expect(server.requests).toHaveLength(1);
  });
});

async function untilAskedAgain(national: NationalRegister): Promise<void> {
  await vi.waitFor(async () => expect((await national.status()).facts.asked_again_in_seconds).toBeNull(), {
    timeout: 10_000,
    interval: 10,
  });
}
