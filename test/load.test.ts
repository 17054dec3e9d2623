import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createApp } from '../src/http/app.ts';
import type { LoadBounds } from '../src/http/load.ts';

const endings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of endings) await end();
});

/** A server with one route, and what it said about requests that it turned away. */
async function listen(load: LoadBounds) {
  const shed: string[] = [];
  const app = createApp({
    log: pino({ level: 'silent' }),
    onAnswer() {},
    onShed: (reason) => void shed.push(reason),
    limits: undefined,
    trustProxy: [],
    load,
  });
  for (const path of ['/work', '/healthz']) app.get(path, async () => ({ done: true }));
  app.get('/busy', async () => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    return { done: true };
  });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  endings.push(() => app.close());
  return { shed, get: (path: string) => fetch(origin + path) };
}

test('past its memory a process turns requests away, in the one shape, and answers probes', async () => {
  const { get, shed } = await listen({ lagMs: Infinity, memory: 1 });
  await expect.poll(async () => (await get('/work')).status, { timeout: 5_000 }).toBe(503);
  const refused = await get('/work');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await refused.json()).toEqual({
    error: expect.stringContaining('did nothing'),
    code: 'temporarily_unavailable',
  });
  expect((await get('/healthz')).status).toBe(200);
  expect(new Set(shed)).toEqual(new Set(['memory']));
});

test('a loop that stays late turns requests away until it is in time again', async () => {
  const { get, shed } = await listen({ lagMs: 5, memory: Infinity });
  // Each takes the loop for a while, and thirty arrive in one turn of it.
  const burst = async () =>
    (await Promise.all(Array.from({ length: 30 }, () => get('/busy')))).map(({ status }) => status);
  await expect.poll(burst, { timeout: 20_000, interval: 1 }).toContain(503);
  await expect.poll(async () => (await get('/work')).status, { timeout: 10_000 }).toBe(200);
  expect(new Set(shed)).toEqual(new Set(['lag']));
});

test('a loop that is late once turns nothing away', async () => {
  const { get, shed } = await listen({ lagMs: 5, memory: Infinity });
  const answers = Array.from({ length: 20 }, () => get('/work'));
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, () => 200),
  );
  expect(shed).toEqual([]);
});
