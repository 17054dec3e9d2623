import { expect, test } from 'vitest';
import { createWorld } from './world.ts';

const world = await createWorld();

/** So slow that nothing is refilled while a test runs. */
const narrow = (requests: number) => world.start({ rateLimit: { requests, seconds: 3_600 * requests } });

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
  const running = await world.start({ rateLimit: { requests: 2, seconds: 2 } });
  const { client } = await world.workspace(running);
  await Promise.all([client.get('/me'), client.get('/me')]);
  const refused = await client.get('/me');
  const began = performance.now();
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  expect((await client.get('/me')).status).toBe(429);
  await expect.poll(async () => (await client.get('/me')).status, { timeout: 3_000, interval: 20 }).toBe(200);
  const waited = performance.now() - began;
  expect(waited).toBeGreaterThan(500);
  expect(waited).toBeLessThan(1_000 + 500);
});

test('every answer to a key tells the policy and where the key stands', async () => {
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
