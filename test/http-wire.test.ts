import { describe, expect, test } from 'vitest';
import { holdTable } from './locks.ts';
import { exchangeRaw, expectProblem, rawRequest as request } from './raw.ts';
import { createWorld } from './world.ts';

const world = await createWorld({ keepLogs: true });
const { token } = (await world.workspace()).client;

const HEAD = [`Host: 127.0.0.1`, `Authorization: Bearer ${token}`];
const JSON_HEAD = [...HEAD, 'Content-Type: application/json'];
const POST = 'POST /api/v1/contacts HTTP/1.1';
const BODY = '{"name":"Kari"}';

const CHUNKED = 'Transfer-Encoding: chunked';

test.each([
  [
    'a length and chunks at once',
    request(POST, [...JSON_HEAD, 'Content-Length: 15', CHUNKED], `f\r\n${BODY}\r\n0\r\n\r\n`),
  ],
  [
    'chunks and a length at once',
    request(POST, [...JSON_HEAD, CHUNKED, 'Content-Length: 4'], `f\r\n${BODY}\r\n0\r\n\r\n`),
  ],
  [
    'two lengths that differ',
    request(POST, [...JSON_HEAD, 'Content-Length: 15', 'Content-Length: 16'], BODY),
  ],
  ['two lengths that agree', request(POST, [...JSON_HEAD, 'Content-Length: 15', 'Content-Length: 15'], BODY)],
  ['a length that is no number', request(POST, [...JSON_HEAD, 'Content-Length: 1x'], BODY)],
  ['a negative length', request(POST, [...JSON_HEAD, 'Content-Length: -1'], BODY)],
  ['a length with a sign', request(POST, [...JSON_HEAD, 'Content-Length: +15'], BODY)],
  [
    'a coding that is not chunked',
    request(POST, [...JSON_HEAD, 'Transfer-Encoding: chunked, identity'], BODY),
  ],
  ['a chunk whose size is no number', request(POST, [...JSON_HEAD, CHUNKED], `zz\r\n${BODY}\r\n0\r\n\r\n`)],
  [
    'a chunk that is longer than its size',
    request(POST, [...JSON_HEAD, CHUNKED], `3\r\n${BODY}\r\n0\r\n\r\n`),
  ],
  ['a chunk that ends in a bare line feed', request(POST, [...JSON_HEAD, CHUNKED], `f\n${BODY}\n0\n\n`)],
  ['lines that end in a bare line feed', `GET /api/v1/me HTTP/1.1\n${HEAD.join('\n')}\n\n`],
  ['a header that goes on in a second line', request('GET /api/v1/me HTTP/1.1', [...HEAD, 'X-A: b', ' c'])],
  ['a space before the colon', request('GET /api/v1/me HTTP/1.1', [...HEAD, 'X-A : b'])],
  ['a header without a name', request('GET /api/v1/me HTTP/1.1', [...HEAD, ': b'])],
  ['a NUL in a header', request('GET /api/v1/me HTTP/1.1', [...HEAD, 'X-A: b\0c'])],
  ['no Host', request('GET /api/v1/me HTTP/1.1', [`Authorization: Bearer ${token}`])],
  ['a space in the address', request('GET /api/v1/me now HTTP/1.1', HEAD)],
  ['a method that nobody knows', request('BREW /api/v1/me HTTP/1.1', HEAD)],
  ['a version that nobody speaks', request('GET /api/v1/me HTTP/9.9', HEAD)],
  ['text that is no HTTP', 'hello, is anybody there?\r\n\r\n'],
  [
    'bytes that are no text',
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0d, 0x0a]),
  ],
])('%s is refused with 400, once, and the connection is closed', async (_, bytes) => {
  // What follows must not be taken for a second request.
  const smuggled = request('GET /api/v1/companies HTTP/1.1', HEAD);
  const { answers, closed } = await exchangeRaw(world.port, [bytes, smuggled]);
  expect(answers).toHaveLength(1);
  expectProblem(answers[0], 400);
  expect(closed).toBe(true);
});

test('headers that are too large are 431 and close the connection', async () => {
  for (const headers of [
    [`X-A: ${'a'.repeat(20_000)}`],
    Array.from({ length: 600 }, (_, n) => `X-${n}: ${'a'.repeat(30)}`),
  ]) {
    const { answers, closed } = await exchangeRaw(world.port, [
      request('GET /api/v1/me HTTP/1.1', [...HEAD, ...headers]),
    ]);
    expect([answers.length, closed]).toEqual([1, true]);
    expectProblem(answers[0], 431);
  }
});

test('an address that is too long is 414, or 431 where it is too large for the headers', async () => {
  for (const [length, status] of [
    [8_100, 400],
    [8_300, 414],
    [15_000, 414],
    [17_000, 431],
    [100_000, 431],
  ] as const) {
    const line = `GET /api/v1/me?x=${'a'.repeat(length)} HTTP/1.1`;
    const { answers } = await exchangeRaw(world.port, [request(line, HEAD)], { expected: 1 });
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], status);
  }
});

test('one long segment of a path is 414 like any other address that is too long', async () => {
  for (const path of ['/api/v1/companies/', '/api/v1/contacts/', '/docs/', '/']) {
    const line = `GET ${path}${'9'.repeat(9_000)} HTTP/1.1`;
    const { answers } = await exchangeRaw(world.port, [request(line, HEAD)], { expected: 1 });
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], 414);
  }
});

test('a request whose body is cut short is not carried out', async () => {
  const workspace = await world.workspace();
  const headers = [
    'Host: x',
    `Authorization: Bearer ${workspace.client.token}`,
    'Content-Type: application/json',
  ];
  const { answers } = await exchangeRaw(
    world.port,
    [request(POST, [...headers, 'Content-Length: 500'], BODY)],
    { end: true },
  );
  for (const answer of answers) expectProblem(answer, 400);
  expect(await world.query('select 1 from contacts where tenant_id = $1', [workspace.id])).toEqual([]);
});

test('a request with a body in valid chunks is carried out', async () => {
  const { answers } = await exchangeRaw(
    world.port,
    [request(POST, [...JSON_HEAD, CHUNKED], '5\r\n{"nam\r\n'), '5;x=y\r\ne":"K\r\n5\r\nari"}\r\n0\r\n\r\n'],
    { expected: 1 },
  );
  expect(answers[0]?.status).toBe(201);
  expect(JSON.parse(answers[0]!.body).data.name).toBe('Kari');
});

test('a request that arrives byte by byte is answered', async () => {
  const bytes = request(POST, [...JSON_HEAD, `Content-Length: ${BODY.length}`], BODY);
  const { answers } = await exchangeRaw(world.port, bytes.split(''), { expected: 1 });
  expect(answers[0]?.status).toBe(201);
});

test('requests in one go are answered one by one, in order', async () => {
  const ids = Array.from({ length: 20 }, (_, number) => `pipe-${number}`);
  const bytes = ids.map((id, number) =>
    number % 2 === 0
      ? request('GET /api/v1/me HTTP/1.1', [...HEAD, `X-Request-Id: ${id}`])
      : request(POST, [...JSON_HEAD, `X-Request-Id: ${id}`, `Content-Length: ${BODY.length}`], BODY),
  );
  const { answers } = await exchangeRaw(world.port, [bytes.join('')], { expected: ids.length });
  expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(ids);
  expect(answers.map(({ status }) => status)).toEqual(ids.map((_, number) => (number % 2 === 0 ? 200 : 201)));
});

test('a good request before a broken one is answered; the broken one closes the connection', async () => {
  const good = request('GET /api/v1/me HTTP/1.1', HEAD);
  const { answers, closed } = await exchangeRaw(world.port, [good, 'nonsense\r\n\r\n', good]);
  expect(closed).toBe(true);
  expect(answers.length).toBeLessThanOrEqual(2);
  for (const answer of answers.slice(1)) expectProblem(answer, 400);
});

test('a broken request behind one under way is answered after it', async () => {
  const good = request(POST, [...JSON_HEAD, `Content-Length: ${BODY.length}`], BODY);
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const exchange = exchangeRaw(world.port, [good, 'nonsense\r\n\r\n']);
  await lock.awaited();
  await lock.commit();
  const { answers, closed } = await exchange;
  expect([answers.map(({ status }) => status), closed]).toEqual([[201, 400], true]);
});

test('a body that is refused unread does not become the next request', async () => {
  const body = request('GET /api/v1/companies HTTP/1.1', HEAD);
  const refused = request('DELETE /api/v1/me HTTP/1.1', [...HEAD, `Content-Length: ${body.length}`], body);
  const after = request('GET /api/v1/me HTTP/1.1', [...HEAD, 'Connection: close']);
  const { answers } = await exchangeRaw(world.port, [refused + after]);
  expect(answers[0]?.status).toBe(405);
  for (const answer of answers.slice(1)) expect(JSON.parse(answer.body).data).toHaveProperty('tenant_id');
  expect(answers.length).toBeLessThanOrEqual(2);
});

test('HTTP 1.0 is answered and closed', async () => {
  const { answers, closed } = await exchangeRaw(world.port, [request('GET /api/v1/me HTTP/1.0', HEAD)]);
  expect([answers.map(({ status }) => status), closed]).toEqual([[200], true]);
});

test('Expect: 100-continue is answered with 100 before the request is answered', async () => {
  const { answers } = await exchangeRaw(
    world.port,
    [request(POST, [...JSON_HEAD, 'Expect: 100-continue', `Content-Length: ${BODY.length}`]), BODY],
    { expected: 2 },
  );
  expect(answers.map(({ status }) => status)).toEqual([100, 201]);
});

test('an unknown expectation is ignored, or refused in the shape of all errors', async () => {
  const { answers } = await exchangeRaw(
    world.port,
    [request('GET /api/v1/me HTTP/1.1', [...HEAD, 'Expect: the-unexpected', 'Connection: close'])],
    { expected: 1 },
  );
  expect(answers).toHaveLength(1);
  if (answers[0]?.status !== 200) expectProblem(answers[0], [400, 417]);
});

describe('a request that does not arrive', () => {
  test('in time is 408, headers and body alike', async () => {
    const slow = await world.start();
    slow.server.app.server.headersTimeout = 50;
    slow.server.app.server.requestTimeout = 100;
    const half = request(POST, [...JSON_HEAD, 'Content-Length: 500'], BODY);
    const [inHeaders, inBody] = await Promise.all([
      exchangeRaw(slow.port, ['GET /api/v1/me HTTP/1.1\r\nHost: x\r\n']),
      exchangeRaw(slow.port, [half]),
    ]);
    for (const { answers, closed } of [inHeaders, inBody]) {
      expect([answers.length, closed]).toEqual([1, true]);
      expectProblem(answers[0], 408);
    }
  });
});
