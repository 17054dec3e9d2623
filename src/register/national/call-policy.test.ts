import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as misbehaviour from '../../../test/register-misbehaviour.ts';
import { recordOf } from '../../../test/register-records.ts';
import { startRegisterServer, type RegisterServer } from '../../../test/register-server.ts';
import { until } from '../../../test/until.ts';
import { createCallPolicy, type CallLimits } from './call-policy.ts';
import { nationalRegister } from './client.ts';
import { RegisterUnavailable, type Register } from '../register.ts';
import { generatedOrgnr } from '../../../test/generated-orgnr.ts';
import { generatedUnit } from '../sandbox/generated.ts';

const NUMBERS = Array.from({ length: 60 }, (_, index) => generatedOrgnr(index));

const OPEN_MS = 30_000;

/** Longer than any test takes: it passes only when a test advances the fake clock. */
const TIMEOUT = 60_000;

let server: RegisterServer;

beforeEach(async () => {
  // Time stands still for the breaker and the time limits; sockets have clocks of their own.
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  server = await startRegisterServer();
  server.hold(...NUMBERS.map(generatedUnit).map(recordOf));
});

afterEach(async () => {
  await server.stop();
  vi.useRealTimers();
});

function register(limits: Partial<CallLimits> = {}, timeoutMs = TIMEOUT): Register {
  const options = { openMs: OPEN_MS, maxOpenMs: 10 * OPEN_MS, failuresToOpen: 3, ...limits };
  return nationalRegister({ baseUrl: server.baseUrl, userAgent: 'test', timeoutMs, limits: options });
}

/** Looks a number up. @returns how the register was unavailable; null if it answered */
async function attempt(national: Register, orgnr: string): Promise<RegisterUnavailable | null> {
  const result = await national.find(orgnr).catch((error: unknown) => error);
  return result instanceof RegisterUnavailable ? result : null;
}

const asked = (count: number) => until(() => server.requests.length === count);

const closedOff = async (national: Register) => (await national.status()).facts['asked_again_in_seconds'];

async function openBreaker(national: Register): Promise<void> {
  server.misbehave(misbehaviour.hangingUp());
  for (const orgnr of NUMBERS.slice(0, 3)) await attempt(national, orgnr);
  expect((await national.status()).facts['breaker']).toBe('open');
  server.requests.length = 0;
}

describe('the breaker', () => {
  it('lets calls through in time even if the clock was set back meanwhile', async () => {
    const national = register();
    await openBreaker(national);
    server.behave();
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(1.2 * OPEN_MS);
    expect(await attempt(national, NUMBERS[3]!)).toBeNull();
  });

  it('opens after failures in a row, and then costs a client and the register nothing', async () => {
    const national = register();
    await openBreaker(national);
    for (const orgnr of NUMBERS) {
      const error = await attempt(national, orgnr);
      expect(error?.message).toBe('calls to the register are paused');
      expect(error?.retryAfterSeconds).toBeGreaterThanOrEqual(24);
    }
    expect(server.requests).toEqual([]);
  });

  it('shows in the status', async () => {
    const national = register();
    await openBreaker(national);
    expect((await national.status()).facts).toMatchObject({
      breaker: 'open',
      last_answer: null,
      last_trouble: expect.stringMatching(/Z the register does not answer/),
    });
    expect(await closedOff(national)).toBeGreaterThan(20);
  });

  it('is shown as closed again when nobody calls for minutes after it would let a call through', async () => {
    const national = register();
    await openBreaker(national);
    const state = async () => {
      const { facts, gauges } = await national.status();
      return [facts['breaker'], gauges['breaker_open']];
    };
    vi.advanceTimersByTime(2 * OPEN_MS);
    expect(await state()).toEqual(['open', 1]);
    vi.advanceTimersByTime(5 * 60_000);
    expect(await state()).toEqual(['closed', 0]);
    // The next look-up is still only a probe: it fails, and the breaker is open again.
    await attempt(national, NUMBERS[4]!);
    expect(await state()).toEqual(['open', 1]);
  });

  it('opens for a register that hangs, so that the next client does not wait', async () => {
    server.misbehave(misbehaviour.hanging());
    const national = register();
    const waiting = Promise.all(NUMBERS.slice(0, 3).map((orgnr) => attempt(national, orgnr)));
    await asked(3);
    vi.advanceTimersByTime(TIMEOUT);
    await waiting;
    // No time passes here: a client that waited would never be answered.
    expect((await attempt(national, NUMBERS[9]!))?.message).toBe('calls to the register are paused');
    expect(server.requests).toHaveLength(3);
  });

  it('lets one look-up try again, refuses others meanwhile, and closes when it succeeds', async () => {
    const national = register();
    await openBreaker(national);
    server.behave();
    const held = misbehaviour.holding();
    server.misbehave(held.how, { times: 1 });
    vi.advanceTimersByTime(2 * OPEN_MS);

    const probe = attempt(national, NUMBERS[0]!);
    await asked(1);
    expect((await national.status()).facts['breaker']).toBe('half-open');
    expect((await attempt(national, NUMBERS[1]!))?.message).toBe('the register is being probed');

    held.release();
    expect(await probe).toBeNull();
    expect((await national.status()).facts['breaker']).toBe('closed');
    expect(await attempt(national, NUMBERS[1]!)).toBeNull();
  });

  it('stays open for longer each time a probe fails', async () => {
    const national = register();
    await openBreaker(national);
    expect(await closedOff(national)).toBeLessThanOrEqual(36);
    vi.advanceTimersByTime(2 * OPEN_MS);
    await attempt(national, NUMBERS[0]!);
    expect(server.requests).toHaveLength(1);
    expect((await national.status()).facts['breaker']).toBe('open');
    expect(await closedOff(national)).toBeGreaterThanOrEqual(48);
  });

  it('does not open for a number whose own record is odd, nor for numbers that are unknown', async () => {
    const national = register();
    server.misbehave(misbehaviour.lying('310211036'), { path: NUMBERS[0]! });
    for (let time = 0; time < 6; time += 1) {
      expect((await attempt(national, NUMBERS[0]!))?.message).toMatch(/another number/);
      await national.find('388444444');
    }
    expect((await national.status()).facts['breaker']).toBe('closed');
    expect(await attempt(national, NUMBERS[1]!)).toBeNull();
  });

  it('does not open while successes come in between', async () => {
    const national = register();
    server.misbehave(misbehaviour.hangingUp(), { path: NUMBERS[0]! });
    for (let time = 0; time < 6; time += 1) {
      await attempt(national, NUMBERS[0]!);
      expect(await attempt(national, NUMBERS[1]!)).toBeNull();
    }
    expect((await national.status()).facts['breaker']).toBe('closed');
  });
});

describe('the cap on calls', () => {
  it('limits the calls at one time, and serves all in turn', async () => {
    let atOnce = 0;
    let most = 0;
    const slow = misbehaviour.slow(5);
    server.misbehave(async (exchange) => {
      most = Math.max(most, (atOnce += 1));
      await slow(exchange);
      atOnce -= 1;
    });
    const national = register({ concurrentCalls: 4 });
    const errors = await Promise.all(NUMBERS.map((orgnr) => attempt(national, orgnr)));
    expect(errors.filter((error) => error !== null)).toEqual([]);
    expect(most).toBe(4);
  });

  it('turns away at once what does not fit in line', async () => {
    const held = misbehaviour.holding();
    server.misbehave(held.how);
    const national = register({ concurrentCalls: 2, queuedCalls: 3 });
    const [fitting, refused] = [NUMBERS.slice(0, 5), NUMBERS.slice(5, 10)];
    const served = fitting.map((orgnr) => attempt(national, orgnr));
    for (const orgnr of refused) {
      expect(await attempt(national, orgnr)).toMatchObject({
        message: 'too many look-ups wait in line',
        fault: 'limit',
        retryAfterSeconds: 1,
      });
    }
    held.release();
    expect(await Promise.all(served)).toEqual(fitting.map(() => null));
  });

  it('counts the time in line as part of the look-up, and keeps no place for those who gave up', async () => {
    server.misbehave(misbehaviour.hanging());
    const national = register({ concurrentCalls: 1, failuresToOpen: 50 });
    const waiting = Promise.all(NUMBERS.slice(0, 5).map((orgnr) => attempt(national, orgnr)));
    await asked(1);
    vi.advanceTimersByTime(TIMEOUT);
    for (const error of await waiting) expect(error).toBeInstanceOf(RegisterUnavailable);
    await setImmediate();
    expect((await national.status()).facts).toMatchObject({ calls_under_way: 0, calls_in_line: 0 });
  });

  it('does not send what waits in line to a register that has just failed', async () => {
    server.misbehave(misbehaviour.hangingUp(), { times: 3 });
    const national = register({ concurrentCalls: 1 });
    await Promise.all(NUMBERS.slice(0, 20).map((orgnr) => attempt(national, orgnr)));
    expect(server.requests).toHaveLength(3);
  });
});

describe('a register that asks for time', () => {
  it('is left alone for that time, also by look-ups of other numbers', async () => {
    server.misbehave(misbehaviour.failing(429, { 'retry-after': '90' }), { times: 1 });
    const national = register();
    expect((await attempt(national, NUMBERS[0]!))?.retryAfterSeconds).toBe(90);
    vi.advanceTimersByTime(89_000);
    expect((await attempt(national, NUMBERS[1]!))?.retryAfterSeconds).toBe(1);
    expect(server.requests).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(await attempt(national, NUMBERS[1]!)).toBeNull();
  });

  it('is asked again in time though the clock was set back meanwhile', async () => {
    server.misbehave(misbehaviour.failing(429, { 'retry-after': '90' }), { times: 1 });
    const national = register();
    await attempt(national, NUMBERS[0]!);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect((await attempt(national, NUMBERS[1]!))?.retryAfterSeconds).toBe(90);
    vi.advanceTimersByTime(90_000);
    expect(await attempt(national, NUMBERS[1]!)).toBeNull();
  });

  it('is left alone by what already waits in line', async () => {
    server.misbehave(misbehaviour.failing(503, { 'retry-after': '90' }), { times: 1 });
    const national = register({ concurrentCalls: 1 });
    const errors = await Promise.all(NUMBERS.slice(0, 5).map((orgnr) => attempt(national, orgnr)));
    for (const error of errors) expect(error?.retryAfterSeconds).toBe(90);
    expect(server.requests).toHaveLength(1);
  });
});

it('a call that waited in line runs in the context of the request that asked for it', async () => {
  const policy = createCallPolicy({
    concurrentCalls: 1,
    queuedCalls: 1,
    failuresToOpen: 1,
    openMs: OPEN_MS,
    maxOpenMs: OPEN_MS,
    maxPauseMs: 0,
  });
  const { signal } = new AbortController();
  const request = new AsyncLocalStorage<string>();
  const gate = Promise.withResolvers<void>();
  const first = request.run('first', () => policy.run(() => gate.promise, signal));
  const second = request.run('second', () => policy.run(async () => request.getStore(), signal));
  gate.resolve();
  await first;
  expect(await second).toBe('second');
});
