import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createBareApp } from '../../test/bare-app.ts';

const MIB = 1_024 ** 2;
const LAG_MS = 50;

test('above its memory bound a process collects garbage, and answers again once that frees enough', async () => {
  // Otherwise the garbage of other tests would be collected later, or its memory reused for the buffer below.
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as (options: object) => void)({
    type: 'major',
    execution: 'sync',
    flavor: 'last-resort',
  });
  const app = createBareApp({ load: { memory: process.memoryUsage.rss() + 128 * MIB } });
  app.get('/work', async () => ({ done: true }));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  // V8 may also collect by itself, but then without the flag that is expected below.
  const flags: number[] = [];
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as unknown as { detail: { flags: number } }[];
    flags.push(...entries.map(({ detail }) => detail.flags));
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  // Allocated outside of V8's heap, which may have room left in a worker that has run other tests.
  let held: Buffer | undefined = Buffer.alloc(512 * MIB, 1);
  await expect.poll(() => flags).toContain(constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE);
  expect([held[0], (await fetch(`${origin}/work`)).status]).toEqual([1, 503]);
  held = undefined;
  // The process collects again only after a pause: before each request, the clock moves past that pause.
  const now = performance.now.bind(performance);
  let passed = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  onTestFinished(() => clock.mockRestore());
  await expect
    .poll(async () => {
      passed += 10_000;
      return (await fetch(`${origin}/work`)).status;
    })
    .toBe(200);
});

/** A server whose clock the test moves. It checks its event loop only in `turn`, after the time given. */
async function listenByClock() {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
  });
  const pass = (milliseconds: number) => void (now += milliseconds);
  const shed: string[] = [];
  const app = createBareApp({ onShed: (reason) => void shed.push(reason), load: { lagMs: LAG_MS } });
  for (const path of ['/work', '/healthz', '/assets/page.js']) app.get(path, async () => ({ done: true }));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return {
    shed,
    get: (path: string) => fetch(origin + path),
    pass,
    turn: (milliseconds: number) => {
      pass(milliseconds);
      vi.advanceTimersToNextTimer();
    },
  };
}

test('a loop that stays late turns requests away until it is on time again', async () => {
  const { get, shed, pass, turn } = await listenByClock();
  for (let count = 0; count < 10; count++) turn(2 * LAG_MS);
  expect((await get('/work')).status).toBe(200);
  pass(2 * LAG_MS);
  expect((await get('/work')).status).toBe(503);
  expect([(await get('/assets/page.js')).status, (await get('/healthz')).status]).toEqual([200, 200]);
  turn(0);
  turn(LAG_MS);
  pass(2 * LAG_MS);
  expect((await get('/work')).status).toBe(200);
  expect(shed).toEqual(['lag']);
});

test('a loop that is late three times turns nothing away', async () => {
  const { get, shed, pass, turn } = await listenByClock();
  for (let count = 0; count < 3; count++) turn(2 * LAG_MS);
  pass(2 * LAG_MS);
  expect((await get('/work')).status).toBe(200);
  expect(shed).toEqual([]);
});
