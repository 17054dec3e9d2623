import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createApp } from '../src/http/app.ts';
import type { LoadBounds } from '../src/http/load.ts';
import { holdTable } from './locks.ts';
import { createWorld } from './world.ts';

const endings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of endings) await end();
});

/** A server with one route, and what it said about requests that it turned away. */
async function listen(bounds: Partial<LoadBounds>) {
  const load = { lagMs: Infinity, memory: Infinity, isBehind: () => false, ...bounds };
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
  return { shed, get: (path: string) => fetch(origin + path, { headers: { 'x-request-id': 'mine' } }) };
}

test('past its memory a process turns requests away, in the one shape, and answers probes', async () => {
  const { get, shed } = await listen({ memory: 1 });
  await expect.poll(async () => (await get('/work')).status, { timeout: 5_000 }).toBe(503);
  const refused = await get('/work');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await refused.json()).toEqual({
    error: expect.stringContaining('did nothing'),
    code: 'temporarily_unavailable',
  });
  expect(refused.headers.get('x-request-id')).toBe('mine');
  expect((await get('/healthz')).status).toBe(200);
  expect(new Set(shed)).toEqual(new Set(['memory']));
});

test('a loop that stays late turns requests away until it is in time again', async () => {
  const { get, shed } = await listen({ lagMs: 5 });
  // Each takes the loop for a while, and thirty arrive in one turn of it.
  const burst = async () =>
    (await Promise.all(Array.from({ length: 30 }, () => get('/busy')))).map(({ status }) => status);
  await expect.poll(burst, { timeout: 20_000, interval: 1 }).toContain(503);
  await expect.poll(async () => (await get('/work')).status, { timeout: 10_000 }).toBe(200);
  expect(new Set(shed)).toEqual(new Set(['lag']));
});

test('a loop that is late once turns nothing away', async () => {
  const { get, shed } = await listen({ lagMs: 5 });
  const answers = Array.from({ length: 20 }, () => get('/work'));
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, () => 200),
  );
  expect(shed).toEqual([]);
});

test('a long queue that stays turns requests away until it is worked off', async () => {
  const world = await createWorld({ databaseConnections: 2 });
  const { client } = await world.workspace();
  await client.get('/me');
  const headers = { authorization: `Bearer ${client.token}` };
  // Each on a connection of its own, however many they are.
  const get = async (path: string) => (await fetch(`${world.origin}/api/v1${path}`, { headers })).status;
  const lock = await holdTable(world.databaseUrl, 'companies');
  const burst = Array.from({ length: 300 }, () => get('/companies'));
  await lock.awaited(2);
  await expect.poll(() => get('/me'), { timeout: 4_000, interval: 10 }).toBe(503);
  await lock.commit();
  const counts = Map.groupBy(await Promise.all(burst), (status) => status);
  // Two had the connections; those that waited while there was overload are turned away.
  expect(counts.get(200)?.length).toBeGreaterThanOrEqual(2);
  expect(counts.get(503)?.length).toBeGreaterThan(200);
  expect([...counts.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  await expect.poll(() => get('/companies'), { timeout: 5_000 }).toBe(200);
});
