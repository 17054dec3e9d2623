import { describe, expect, test } from 'vitest';
import { sampleOf, withQuery } from './ask.ts';
import { OPERATIONS } from './operations.ts';
import { exchangeRaw } from './raw.ts';
import { createWorld } from './world.ts';

const world = await createWorld({ rateLimit: { requests: 1000, seconds: 10 } });

/** Headers that differ from answer to answer. */
const OWN = new Set(['date', 'x-request-id', 'ratelimit']);

const lasting = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.has(name)));

const reads = OPERATIONS.filter(({ route }) => route.startsWith('GET '));

describe.each(reads)('HEAD of $route', (operation) => {
  test('has the status and the headers of GET, Content-Length included, and no body', async () => {
    const workspace = await world.workspace();
    const { path } = await sampleOf(operation, workspace);
    const got = await workspace.client.get(path);
    const answer = await workspace.client.send({ method: 'HEAD', path });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(lasting(answer.headers)).toEqual(lasting(got.headers));
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(got.text)));
    expect(answer.headers['ratelimit']).toMatch(/^"key";r=\d+;t=\d+$/);
  });

  test('is checked like GET', async () => {
    const workspace = await world.workspace();
    const { path } = await sampleOf(operation, workspace);
    const nobody = await world.client().send({ method: 'HEAD', path });
    expect([nobody.status, nobody.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect((await workspace.client.send({ method: 'HEAD', path: withQuery(path, 'unknown=1') })).status).toBe(
      400,
    );
    if (operation.needs.length === 0) return;
    const { client } = await workspace.key([]);
    expect((await client.send({ method: 'HEAD', path })).status).toBe(403);
  });
});

test('HEAD of a company that does not exist is 404, and of a path that takes only POST 405', async () => {
  const { client } = await world.workspace();
  expect((await client.send({ method: 'HEAD', path: '/companies/923609016' })).status).toBe(404);
  const refused = await client.send({ method: 'HEAD', path: '/companies/923609016/notes' });
  expect([refused.status, refused.headers.allow]).toEqual([405, 'POST']);
});

test('no part of a body is sent, so the next answer on the connection is read correctly', async () => {
  const { client } = await world.workspace();
  const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${client.token}\r\n`;
  const last = `GET /api/v1/me HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
  for (const path of ['/me', '/nothing', '/tasks/x']) {
    const bytes = await exchangeRaw(world.port, [`HEAD /api/v1${path} HTTP/1.1\r\n${head}\r\n`, last], {
      bodiless: 1,
    });
    expect(bytes.answers.map(({ status }) => status).at(-1)).toBe(200);
    expect(bytes.answers).toHaveLength(2);
    expect(JSON.parse(bytes.answers[1]!.body)).toHaveProperty('data.permissions');
  }
});
