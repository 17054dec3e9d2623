import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { LoadBounds } from '../src/http/load.ts';
import { createBareApp } from './bare-app.ts';
import { isCached } from './known-key.ts';
import { holdTable } from './locks.ts';
import { waitingIn } from './waiting-requests.ts';
import { freshOrgnr } from './workspace.ts';
import { createWorld, type World } from './world.ts';

const endings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of endings) await end();
});

/** A server with two routes, and the reasons for which it turned requests away. */
async function listen(bounds: Partial<LoadBounds>) {
  const shed: string[] = [];
  const app = createBareApp({
    onShed: (reason) => void shed.push(reason),
    trustProxy: ['127.0.0.1'],
    load: bounds,
  });
  for (const path of ['/work', '/healthz']) app.get(path, async () => ({ done: true }));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  endings.push(() => app.close());
  return {
    shed,
    get: (path: string, headers = {}) =>
      fetch(origin + path, { headers: { 'x-request-id': 'mine', ...headers } }),
  };
}

test('past its memory limit, a process rejects requests in the shape of all errors, and answers probes', async () => {
  const { get, shed } = await listen({ memory: 1 });
  await expect.poll(async () => (await get('/work')).status).toBe(503);
  const refused = await get('/work');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await refused.json()).toEqual({
    error: expect.stringContaining('did not process this request'),
    code: 'temporarily_unavailable',
  });
  expect(refused.headers.get('x-request-id')).toBe('mine');
  expect((await get('/healthz')).status).toBe(200);
  expect(refused.headers.get('strict-transport-security')).toBeNull();
  const overTls = await get('/work', { 'x-forwarded-proto': 'https' });
  expect([overTls.status, overTls.headers.get('strict-transport-security')]).toEqual([
    503,
    'max-age=63072000',
  ]);
  expect(new Set(shed)).toEqual(new Set(['memory']));
});

test('a key with too many requests has some rejected, and another workspace is answered meanwhile', async () => {
  const world = await createWorld({
    databaseConnections: 4,
    rateLimit: { requests: 100_000, seconds: 100_000 },
  });
  const [greedy, other] = [await world.workspace(), await world.workspace()];
  for (const { client } of [greedy, other]) await client.get('/me');
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const headers = { authorization: `Bearer ${greedy.client.token}` };
  // Each on a connection of its own, however many they are.
  const get = async (path: string) => (await fetch(`${world.origin}/api/v1${path}`, { headers })).status;
  const burst: Promise<number>[] = [];
  const send = (count: number) => {
    for (let sent = 0; sent < count; sent++) burst.push(get(`/contacts/${randomUUID()}`));
  };
  send(500);
  // Three of four connections are the most that one key may use.
  await lock.awaited(3);
  // More until the key is overloaded: a busy process turns away some before they wait.
  let asked = 0;
  const isOverloaded = async () => {
    send(100);
    asked += 1;
    return get('/me');
  };
  await expect.poll(isOverloaded).toBe(503);
  for (let count = 0; count < 20; count++) expect((await other.client.get('/companies')).status).toBe(200);
  // PostgreSQL gives up statements that have waited for five seconds: on a busy machine none may be left.
  send(1);
  await lock.awaited(1);
  await lock.commit();
  const counts = Map.groupBy(await Promise.all(burst), (status) => status);
  expect(counts.get(503)?.length).toBeGreaterThan(240);
  expect(new Set(counts.keys())).toEqual(new Set([404, 503]));
  expect((await greedy.client.get('/companies')).status).toBe(200);
  const metrics = await (await fetch(`${world.origin}/metrics`)).text();
  const shed = Number(/http_requests_shed_total\{reason="queue"\} (\d+)/.exec(metrics)?.[1]);
  expect(shed).toBeGreaterThanOrEqual(200);
  expect(shed).toBeLessThanOrEqual(burst.length + asked);
});

test('requests that have waited for the register take a place again before they write', async () => {
  const world = await createWorld({ databaseConnections: 4 });
  const [greedy, other] = [await world.workspace(), await world.workspace()];
  const add = async () => (await greedy.client.post('/companies', { orgnr: freshOrgnr() })).status;
  const addMany = () => Promise.all(Array.from({ length: 12 }, add));
  const lock = await holdTable(world.databaseUrl, 'company_words');
  const added = addMany();
  await lock.awaited(3);
  // One connection of four is left to the other workspace.
  for (let count = 0; count < 20; count++) expect((await other.client.get('/companies')).status).toBe(200);
  await lock.commit();
  await added;
  expect(new Set(await addMany())).toEqual(new Set([201]));
});

test('a request that is turned away from the queue is told the limit of its key', async () => {
  const world = await createWorld({
    databaseConnections: 4,
    rateLimit: { requests: 100_000, seconds: 100_000 },
  });
  const { client } = await world.workspace();
  await client.get('/me');
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const headers = { authorization: `Bearer ${client.token}` };
  const burst = Array.from({ length: 300 }, () =>
    fetch(`${world.origin}/api/v1/contacts/${randomUUID()}`, { headers }),
  );
  const turnedAway = await Promise.any(
    burst.map(async (request) => {
      const { status, headers: answered } = await request;
      if (status === 503 && answered.has('retry-after')) return answered;
      throw new Error(`answered ${status}`);
    }),
  );
  expect(turnedAway.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+$/);
  await lock.commit();
  await Promise.all(burst);
});

/** Begins a request, which has its place until the rest is sent. @returns a function that sends the rest */
async function begin({ server, port }: World, token: string): Promise<() => Promise<string>> {
  const socket = connect(port, '127.0.0.1');
  const arrived = once(server.app.server, 'request');
  const body = '{"name":"Kari"}';
  socket.write(
    `POST /api/v1/contacts HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await arrived;
  return () => {
    socket.write(body);
    return text(socket);
  };
}

test('a burst loses what exceeds the queue; for a second after an overload a key has half of the connections and one request may wait', async () => {
  // The clock stands still: however slow the machine is, no request waits too long, and no overload ends by itself.
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
  });
  const world = await createWorld({ databaseConnections: 4 });
  const { client } = await world.workspace();
  await isCached(world, client);
  const headers = { authorization: `Bearer ${client.token}` };

  async function waiting(): Promise<number> {
    const metrics = await world.server.metrics.text();
    return Number(/^http_requests_waiting (\d+)/m.exec(metrics)![1]);
  }

  /** How many of `count` requests are rejected while the key has as many others under way as it may. */
  async function rejectedOf(count: number, { underWay }: { underWay: number }): Promise<number> {
    let [answered, rejected] = [0, 0];
    const first: (() => Promise<string>)[] = [];
    while (first.length < underWay) first.push(await begin(world, client.token!));
    const get = async () => {
      const { status } = await fetch(`${world.origin}/api/v1/contacts/${randomUUID()}`, { headers });
      answered++;
      if (status === 503) rejected++;
    };
    const others = Array.from({ length: count }, get);
    // Not with expect.poll, which would advance the fake timers.
    while (answered + (await waiting()) < count) await setImmediate();
    for (const finish of first) expect(await finish()).toMatch(/^HTTP\/1\.1 201 /);
    await Promise.all(others);
    return rejected;
  }

  expect(await rejectedOf(20, { underWay: 3 })).toBe(0);
  expect(await rejectedOf(300, { underWay: 3 })).toBe(44);
  expect(await rejectedOf(20, { underWay: 3 })).toBe(0);
  expect(await rejectedOf(400, { underWay: 3 })).toBeGreaterThan(340);
  expect(await rejectedOf(20, { underWay: 2 })).toBe(19);
  now += 1_001;
  expect(await rejectedOf(20, { underWay: 3 })).toBe(0);
});

test('requests that waited for one look-up of their key do not wait for each other', async () => {
  const world = await createWorld({ databaseConnections: 4 });
  const { client } = await (await world.workspace()).key();
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const answers = Array.from({ length: 3 }, () => client.get(`/contacts/${randomUUID()}`));
  await lock.awaited(3);
  await lock.commit();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 404]);
});

test('answers that nobody reads hold up their own key and nobody else', async () => {
  const world = await createWorld({ databaseConnections: 1 });
  const [greedy, other] = [await world.workspace(), await world.workspace()];
  const { id } = await greedy.contact();
  await world.query(
    `insert into contact_points (tenant_id, contact_id, type, label, value)
     select $1, $2, 'other', repeat('😀', 255), repeat('😀', 255) from generate_series(1, 10000)`,
    [greedy.id, id],
  );
  const path = `/contacts/${id}/points`;
  const unread = connect(world.port, '127.0.0.1');
  unread.write(
    `GET /api/v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${greedy.client.token}\r\n\r\n`,
  );
  await once(unread, 'data');
  unread.pause();
  const second = greedy.client.get('/companies');
  await expect.poll(() => waitingIn(world)).toBe(1);
  for (let count = 0; count < 20; count++) expect((await other.client.get('/companies')).status).toBe(200);
  expect(await waitingIn(world)).toBe(1);
  unread.destroy();
  expect((await second).status).toBe(200);
});
