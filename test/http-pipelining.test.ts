import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { holdTable } from './locks.ts';
import { exchangeRaw, hasCaughtUp } from './raw.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const { client } = await world.workspace();
// From here on the service knows the key.
await client.get('/me');

const HEAD = `Host: 127.0.0.1\r\nAuthorization: Bearer ${client.token}\r\n`;
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${HEAD}\r\n`;
const post = (body: string) =>
  `POST /api/v1/contacts HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test('pipelined requests are all answered, in order, each after the one before it is done', async () => {
  const count = 200;
  const requests = Array.from({ length: count }, (_, number) =>
    number % 2 === 0 ? post(JSON.stringify({ name: `Kari ${number}` })) : get(`/api/v1/contacts/${number}`),
  );
  const { answers } = await exchangeRaw(world.port, [requests.join('')], { expected: count });
  expect(answers.map(({ status }) => status)).toEqual(
    Array.from({ length: count }, (_, number) => (number % 2 === 0 ? 201 : 400)),
  );
  const names = answers.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(body).data.name);
  expect(names).toEqual(Array.from({ length: count / 2 }, (_, number) => `Kari ${number * 2}`));
});

test('bodies that arrive in pieces behind waiting requests are read whole', async () => {
  const large = JSON.stringify({ name: 'Kari', notes: 'æ'.repeat(15_000) });
  const text = Buffer.from(Array.from({ length: 20 }, () => post(large)).join(''));
  const pieces = Array.from({ length: Math.ceil(text.length / 7_001) }, (_, piece) =>
    text.subarray(piece * 7_001, (piece + 1) * 7_001),
  );
  const { answers } = await exchangeRaw(world.port, pieces, { expected: 20 });
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
});

test('one connection has one request under way, however many it sends', async () => {
  const { client: other } = await world.workspace();
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const exchange = exchangeRaw(world.port, [post('{"name":"Kari"}').repeat(50)], { expected: 50 });
  await lock.awaited(1);
  // Eight connections to PostgreSQL would all wait for the table if two dozen requests were under way.
  expect((await other.get('/companies')).status).toBe(200);
  const [{ waiting }] = await world.query(
    "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  expect(waiting).toBe(1);
  await lock.commit();
  const { answers } = await exchange;
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201));
});

test('no work is done for answers that nobody reads', async () => {
  const counting = await world.start({ rateLimit: { requests: 1_000, seconds: 3_600_000 } });
  /** How many more requests the rate limit of the address allows: each that the service begins to answer counts. */
  const left = async () => {
    const { headers } = await fetch(`${counting.origin}/docs/icon.svg`);
    return Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
  };
  const before = await left();
  const socket = connect(counting.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /docs/js/scalar.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(300));
  await hasCaughtUp(counting.origin);
  // The icon itself, and the one or two answers that the buffers of the connection hold.
  expect(before - (await left())).toBeLessThan(5);
  socket.destroy();
});

test('a connection that got a 429 is read again after a moment, and all its requests are answered', async () => {
  const narrow = await world.start({ rateLimit: { requests: 2, seconds: 7_200 } });
  const began = performance.now();
  const { answers } = await exchangeRaw(narrow.port, [get('/api/v1/me').repeat(6)], { expected: 6 });
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429, 429, 429]);
  // Three pauses of a tenth of a second, timers being a little early at times.
  expect(performance.now() - began).toBeGreaterThan(290);
});

test('a request behind one that closes the connection is not carried out', async () => {
  const closing = get('/api/v1/me').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const name = 'Never made';
  const { answers, closed } = await exchangeRaw(world.port, [closing + post(JSON.stringify({ name }))]);
  expect([answers.length, closed]).toEqual([1, true]);
  expect(await world.query('select id from contacts where name = $1', [name])).toEqual([]);
});

test('requests that arrive while their connection ends do not take the places of others for ever', async () => {
  const running = await world.start();
  const { server } = running.server.app;
  server.once('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    // Like the parser with requests that it reads after the answer was sent and before the connection is closed.
    answer.once('close', () => {
      for (let count = 0; count < 5_000; count++) {
        const late = new IncomingMessage(socket);
        server.emit('request', late, new ServerResponse(late));
      }
    });
  });
  const ended = await exchangeRaw(running.port, ['GET /healthz HTTP/1.1\r\n\r\n']);
  expect([ended.closed, ended.answers[0]?.status]).toEqual([true, 400]);
  const probe = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
  const { answers } = await exchangeRaw(running.port, [probe.repeat(40)], { expected: 40 });
  expect(answers).toHaveLength(40);
});
