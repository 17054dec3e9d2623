import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { newKey } from '../src/keys/key.ts';
import type { Answer } from './client.ts';
import { isCached } from './known-key.ts';
import { holdTable } from './locks.ts';
import { startProxy } from './proxy.ts';
import { createWorld, type Running } from './world.ts';

const world = await createWorld();

/** So slow that nothing is refilled while a test runs. */
const narrow = (requests: number) => world.start({ rateLimit: { requests, seconds: 3_600 * requests } });

/** Requests left, as an answer tells. */
const left = (headers: Answer['headers']) => Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);

/** A request without a good key that a proxy hands on from an address. */
const bad = (running: Running, address: string) =>
  running.client('kb_wrong').send({ path: '/me', headers: { 'x-forwarded-for': address } });

test('as many requests as the limit says pass at once, the next is 429', async () => {
  const { client } = await world.workspace(await narrow(5));
  const answers = await Promise.all(Array.from({ length: 12 }, () => client.get('/me')));
  const counts = Map.groupBy(answers, ({ status }) => status);
  expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([5, 7]);
  expect(answers.find(({ status }) => status === 429)?.body.code).toBe('rate_limited');
});

test('another key goes on, of the same workspace and of another', async () => {
  const running = await narrow(2);
  const workspace = await world.workspace(running);
  for (let count = 0; count < 4; count++) await workspace.client.get('/me');
  expect((await workspace.client.get('/me')).status).toBe(429);
  expect((await (await workspace.key()).client.get('/me')).status).toBe(200);
  expect((await (await world.workspace(running)).client.get('/me')).status).toBe(200);
});

test('Retry-After holds: a request after it passes, and one long before it does not', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const running = await world.start({ rateLimit: { requests: 2, seconds: 7 } });
  const { client } = await world.workspace(running);
  await Promise.all([client.get('/me'), client.get('/me')]);
  const refused = await client.get('/me');
  // One request comes back after three and a half seconds.
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '4']);
  vi.advanceTimersByTime(2_000);
  expect((await client.get('/me')).status).toBe(429);
  vi.advanceTimersByTime(2_000);
  expect((await client.get('/me')).status).toBe(200);
  expect((await client.get('/me')).status).toBe(429);
});

test('every answer to a key states the policy and what is left', async () => {
  const { client } = await world.workspace(await narrow(10));
  const standings = [];
  for (const [method, path] of [
    ['GET', '/me'],
    ['GET', '/companies/923609016'],
    ['GET', '/companies/x'],
    ['DELETE', '/me'],
    ['GET', '/nothing'],
    ['POST', '/contacts'],
  ]) {
    const { headers } = await client.send({ method: method!, path: path! });
    expect(headers['ratelimit-policy']).toBe('"key";q=10;w=36000');
    standings.push(/^"key";r=(\d+);t=\d+$/.exec(String(headers['ratelimit']))?.[1]);
  }
  expect(standings).toEqual(['9', '8', '7', '6', '5', '4']);
});

test('the limit comes after the key and before everything else', async () => {
  const running = await narrow(1);
  const workspace = await world.workspace(running);
  const { client } = await workspace.key([]);
  await client.get('/me');
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['DELETE', '/me'],
    ['GET', '/companies'],
    ['GET', '/companies/x'],
  ]) {
    expect((await client.send({ method: method!, path: path! })).status).toBe(429);
  }
  expect((await running.client().get('/me')).status).toBe(401);
});

test('a wrong key counts against its address, whatever address it claims, and no good key is hit', async () => {
  const running = await narrow(3);
  const { client } = await world.workspace(running);
  // The service knows the key from here on.
  expect((await client.get('/me')).status).toBe(200);
  const statuses = [];
  for (let count = 0; count < 5; count++) {
    const address = `10.0.0.${count}`;
    const answer = await running.client(`kb_wrong${count}`).send({
      path: count % 2 === 0 ? '/me' : '/nothing',
      headers: {
        'x-forwarded-for': address,
        'x-real-ip': address,
        forwarded: `for=${address}`,
        'cf-connecting-ip': address,
        'true-client-ip': address,
      },
    });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  expect((await running.client().get('/me')).status).toBe(429);
  expect((await client.get('/me')).status).toBe(200);
});

test('off means off: no limit and no headers that speak of one', async () => {
  const { client } = await world.workspace();
  const answers = await Promise.all(Array.from({ length: 300 }, () => client.get('/me')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const names = Object.keys(answers[0]!.headers);
  expect(names.filter((name) => name.startsWith('ratelimit'))).toEqual([]);
});

describe('a key that is not known yet', () => {
  test('is not looked up for an address that is over its limit', async () => {
    const direct = new URL(world.databaseUrl);
    const line = await startProxy({ host: direct.hostname, port: Number(direct.port) });
    const url = Object.assign(new URL(world.databaseUrl), { port: String(line.port) }).href;
    const running = await world.start({ url, rateLimit: { requests: 2, seconds: 7_200 } });
    for (let count = 0; count < 2; count++) {
      expect((await running.client(newKey().token).get('/me')).status).toBe(401);
    }
    // From here on a look-up would be answered with 503.
    line.refuse();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => running.client(newKey().token).get('/me')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    await line.stop();
  });

  test('waits in a queue of its own, which is short, and no good key waits with it', async () => {
    // Timers are stopped: when it hears nothing of keys for too long, the service would look each key up again.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { client } = await world.workspace();
    await isCached(world, client);
    const lock = await holdTable(world.databaseUrl, 'api_keys');
    const strangers = Array.from({ length: 300 }, () => world.client(newKey().token).get('/me'));
    let answered = 0;
    for (const stranger of strangers) void stranger.then(() => (answered += 1));
    const refused = await Promise.race(strangers);
    expect([refused.status, refused.body.code]).toEqual([503, 'temporarily_unavailable']);
    expect(refused.headers['retry-after']).toBe('1');
    expect((await client.get('/companies')).status).toBe(200);
    expect((await client.post('/contacts', { name: 'Kari' })).status).toBe(201);
    await expect.poll(() => answered).toBe(98);
    await lock.commit();
    const counts = Map.groupBy(await Promise.all(strangers), ({ status }) => status);
    expect([counts.get(401)?.length, counts.get(503)?.length]).toEqual([202, 98]);
  });

  test('costs its address nothing while the database is unavailable', async () => {
    const direct = new URL(world.databaseUrl);
    const line = await startProxy({ host: direct.hostname, port: Number(direct.port) });
    const url = Object.assign(new URL(world.databaseUrl), { port: String(line.port) }).href;
    const running = await world.start({ url, rateLimit: { requests: 3, seconds: 10_800 } });
    const workspace = await world.workspace(running);
    line.refuse();
    const during = [];
    for (let count = 0; count < 5; count++) during.push((await workspace.client.get('/me')).status);
    line.pass();
    await expect.poll(async () => (await workspace.client.get('/me')).status).toBe(200);
    expect(during).toEqual([503, 503, 503, 503, 503]);
    await running.end();
    await line.stop();
  });

  test('costs its address nothing when it is good', async () => {
    const running = await narrow(2);
    for (let count = 0; count < 5; count++) {
      const { client } = await world.workspace(running);
      expect((await client.get('/me')).status).toBe(200);
    }
  });
});

describe('the size of a body counts', () => {
  test('one more for each 16 KiB, announced or in chunks', async () => {
    const { client } = await world.workspace(await narrow(100));
    const small = await client.post('/contacts', { name: 'Kari' });
    expect(left(small.headers)).toBe(99);
    const large = await client.post('/contacts', { name: 'Kari', x: 'x'.repeat(200_000) });
    expect([large.status, left(large.headers)]).toEqual([400, 99 - 1 - 12]);
    const body = JSON.stringify({ name: 'Kari', x: 'x'.repeat(200_000) });
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    await client.send({ method: 'POST', path: '/contacts', headers, body });
    expect(left((await client.get('/me')).headers)).toBe(86 - 1 - 12 - 1);
  });

  test('and so does the size of an answer', async () => {
    const workspace = await world.workspace(await narrow(100));
    const { client } = workspace;
    const { id } = await workspace.contact({ notes: 'x'.repeat(20_000) });
    const before = left((await client.get('/me')).headers);
    expect(left((await client.get(`/contacts/${id}`)).headers)).toBe(before - 1);
    expect(left((await client.get('/me')).headers)).toBe(before - 1 - 1 - 1);
  });

  test('a body that costs more than the whole limit passes while nothing else was sent', async () => {
    const { client } = await world.workspace(await narrow(3));
    const large = { name: 'Kari', notes: '', x: 'x'.repeat(200_000) };
    expect((await client.post('/contacts', large)).status).toBe(400);
    expect((await client.post('/contacts', large)).status).toBe(429);
  });
});

describe('behind a proxy', () => {
  test('unauthenticated callers have a limit each, by the address that the proxy names', async () => {
    const running = await world.start({
      rateLimit: { requests: 1, seconds: 3_600 },
      trustProxy: ['127.0.0.0/8'],
    });
    expect((await bad(running, '203.0.113.7')).status).toBe(401);
    expect((await bad(running, '203.0.113.7')).status).toBe(429);
    expect((await bad(running, '198.51.100.1, 203.0.113.7')).status).toBe(429);
    expect((await bad(running, '203.0.113.8')).status).toBe(401);
  });

  test('an IPv6 address counts as its /64 network', async () => {
    const running = await world.start({
      rateLimit: { requests: 1, seconds: 3_600 },
      trustProxy: ['127.0.0.1'],
    });
    expect((await bad(running, '2001:db8:1:2::1')).status).toBe(401);
    expect((await bad(running, '2001:db8:1:2:ffff:ffff:ffff:ffff')).status).toBe(429);
    expect((await bad(running, '2001:db8:1:3::1')).status).toBe(401);
    expect((await bad(running, '::ffff:203.0.113.9')).status).toBe(401);
    expect((await bad(running, '203.0.113.9')).status).toBe(429);
  });

  test.each(['203.0.113.7:5678', '[2001:db8::1]:443', 'garbage', '1', ''])(
    'an address that the proxy hands on as %j is limited as well',
    async (address) => {
      const running = await world.start({
        rateLimit: { requests: 1, seconds: 3_600 },
        trustProxy: ['127.0.0.1'],
      });
      expect([(await bad(running, address)).status, (await bad(running, address)).status]).toEqual([
        401, 429,
      ]);
    },
  );

  test('answers over TLS tell browsers to keep using TLS', async () => {
    const running = await world.start({ trustProxy: ['127.0.0.1'] });
    const over = async (protocol: string, path: string) => {
      const { headers } = await fetch(running.origin + path, { headers: { 'x-forwarded-proto': protocol } });
      return headers.get('strict-transport-security');
    };
    for (const path of ['/api/v1/me', '/', '/docs/', '/docs/js/scalar.js', '/assets/none', '/healthz']) {
      expect(await over('https', path)).toMatch(/^max-age=\d{8}/);
      expect(await over('http', path)).toBeNull();
    }
  });
});

test('pages without a key count against the address, probes against nobody', async () => {
  const running = await narrow(2);
  const get = async (path: string) => (await fetch(running.origin + path, { redirect: 'manual' })).status;
  expect([await get('/docs/icon.svg'), await get('/metrics')]).toEqual([200, 200]);
  const pages = ['/', '/companies', '/assets/none.js', '/docs', '/docs/js/scalar.js'];
  for (const path of [...pages, '/metrics', '/api/v1/openapi.json']) {
    expect(await get(path)).toBe(429);
  }
  for (let count = 0; count < 5; count++) {
    expect([await get('/healthz'), await get('/readyz')]).toEqual([200, 200]);
  }
});
