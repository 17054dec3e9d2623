import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { LoadBounds } from '../src/http/load.ts';
import { createBareApp } from './bare-app.ts';
import { holdTable } from './locks.ts';
import { hasCaughtUp } from './raw.ts';
import { createWorld } from './world.ts';

const endings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of endings) await end();
});

/** A server with one route, and what it said about requests that it turned away. */
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

test('past its memory a process turns requests away, in the one shape, and answers probes', async () => {
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

test('a key with too many requests loses its own, and another workspace is answered meanwhile', async () => {
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
  // PostgreSQL gives up what has waited for five seconds: on a busy machine nothing may be left.
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

test('a burst loses what exceeds the queue; for a second after an overload a key has half of the connections and one request may wait', async () => {
  // However long 300 requests take to come, none waits too long for its turn.
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const world = await createWorld({ databaseConnections: 4 });
  const { client } = await world.workspace();
  await client.get('/me');
  const headers = { authorization: `Bearer ${client.token}` };

  /** How many of so many requests are rejected while others hold up the key, as many as it may have under way. */
  async function rejectedOf(count: number, { underWay }: { underWay: number }): Promise<number> {
    let rejected = 0;
    const lock = await holdTable(world.databaseUrl, 'contacts');
    const get = async () => {
      const { status } = await fetch(`${world.origin}/api/v1/contacts/${randomUUID()}`, { headers });
      if (status === 503) rejected++;
    };
    const first = Array.from({ length: underWay }, get);
    await lock.awaited(underWay);
    const others = Array.from({ length: count }, get);
    await expect.poll(async () => rejected + (await waitingIn(world))).toBe(count);
    await lock.commit();
    await Promise.all([...first, ...others]);
    return rejected;
  }

  expect(await rejectedOf(20, { underWay: 3 })).toBe(0);
  expect(await rejectedOf(300, { underWay: 3 })).toBe(44);
  expect(await rejectedOf(20, { underWay: 3 })).toBe(0);
  expect(await rejectedOf(400, { underWay: 3 })).toBeGreaterThan(340);
  expect(await rejectedOf(20, { underWay: 2 })).toBe(19);
  vi.advanceTimersByTime(1_001);
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

test('a request whose client has gone before its turn is not begun', async () => {
  // One connection stays free for the key to be looked up.
  const world = await createWorld({ databaseConnections: 4 });
  const { client } = await world.workspace();
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const first = Array.from({ length: 3 }, () => client.post('/contacts', { name: 'First' }));
  await lock.awaited(3);
  const second = connect(world.port, '127.0.0.1').resume();
  const body = '{"name":"Second"}';
  second.write(
    `POST /api/v1/contacts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => waitingIn(world)).toBe(1);
  second.resetAndDestroy();
  await expect.poll(() => waitingIn(world)).toBe(0);
  await lock.commit();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await client.post('/contacts', { name: 'Third' })).status).toBe(201);
  expect(await world.query('select distinct name from contacts order by name')).toEqual([
    { name: 'First' },
    { name: 'Third' },
  ]);
});

test('requests whose clients have gone while their key was looked up take no place from those that follow', async () => {
  const world = await createWorld({ databaseConnections: 4 });
  const { client } = await (await world.workspace()).key();
  const lock = await holdTable(world.databaseUrl, 'api_keys');
  const request = `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.token}\r\n\r\n`;
  const sockets = Array.from({ length: 6 }, () => connect(world.port, '127.0.0.1'));
  for (const socket of sockets) socket.write(request);
  await lock.awaited();
  await hasCaughtUp(world.origin);
  for (const socket of sockets) socket.resetAndDestroy();
  await hasCaughtUp(world.origin);
  await lock.commit();
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/me')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('requests that wait for something else when their clients have gone give back one place each', async () => {
  const world = await createWorld({ databaseConnections: 4 });
  const [greedy, other] = [await world.workspace(), await world.workspace()];
  for (const { client } of [greedy, other]) await client.get('/me');
  const contacts = await holdTable(world.databaseUrl, 'contacts');
  const get = async () => (await greedy.client.get(`/contacts/${randomUUID()}`)).status;
  const answers = [get()];
  await contacts.awaited();
  const changes = await holdTable(world.databaseUrl, 'change_counters');
  const request = `GET /api/v1/changes?cursor=now&wait=30 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${greedy.client.token}\r\n\r\n`;
  const sockets = Array.from({ length: 2 }, () => connect(world.port, '127.0.0.1'));
  for (const socket of sockets) socket.write(request);
  await changes.awaited(2);
  for (const socket of sockets) socket.resetAndDestroy();
  await hasCaughtUp(world.origin);
  await changes.commit();
  // The same statement, so that those of the clients that have gone have ended before it.
  expect((await other.client.get('/changes?cursor=now')).status).toBe(200);
  answers.push(...Array.from({ length: 8 }, get));
  await expect.poll(() => waitingIn(world)).toBe(6);
  await contacts.awaited(3);
  expect((await other.client.get('/companies')).status).toBe(200);
  await contacts.commit();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([404]));
});

test('a client that gives up and tries again takes no more connections than one that waits', async () => {
  const world = await createWorld({ databaseConnections: 4 });
  const [greedy, other] = [await world.workspace(), await world.workspace()];
  for (const { client } of [greedy, other]) await client.get('/me');
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const request = `GET /api/v1/contacts/${randomUUID()} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${greedy.client.token}\r\n\r\n`;
  const send = () => {
    const socket = connect(world.port, '127.0.0.1');
    socket.write(request);
    return socket;
  };
  const sockets = Array.from({ length: 3 }, send);
  await lock.awaited(3);
  for (const socket of sockets) socket.resetAndDestroy();
  await hasCaughtUp(world.origin);
  for (let count = 0; count < 3; count++) send();
  await expect.poll(() => waitingIn(world)).toBe(3);
  expect((await other.client.get('/companies')).status).toBe(200);
  await lock.commit();
  expect((await greedy.client.get('/companies')).status).toBe(200);
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

async function waitingIn({ origin }: { origin: string }): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^http_requests_waiting (\d+)/m.exec(metrics)![1]);
}
