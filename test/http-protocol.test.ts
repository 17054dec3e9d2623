import { METHODS } from 'node:http';
import { describe, expect, test } from 'vitest';
import { exchangeRaw, expectProblem, rawRequest as request } from './raw.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const own = await world.workspace();
const { token } = own.client;

const HEAD = ['Host: 127.0.0.1', `Authorization: Bearer ${token}`];
const JSON_HEAD = [...HEAD, 'Content-Type: application/json'];
const POST = 'POST /api/v1/contacts HTTP/1.1';

test('TRACE and CONNECT echo nothing and open nothing', async () => {
  const trace = await exchangeRaw(
    world.port,
    [request('TRACE /api/v1/me HTTP/1.1', [...HEAD, 'X-Secret: 42'])],
    { expected: 1 },
  );
  expectProblem(trace.answers[0], [404, 405]);
  expect(trace.answers[0]?.body).not.toContain('42');
  const connect = await exchangeRaw(world.port, [request('CONNECT example.no:443 HTTP/1.1', HEAD)]);
  expect([connect.answers.length, connect.closed]).toEqual([1, true]);
  expectProblem(connect.answers[0], 405);
  expect(connect.answers[0]?.headers.get('allow')).toBe('GET, HEAD, POST, PATCH, DELETE');
});

test.each(['/nothing', '/docs', '/api/v1/me'])(
  'a request whose only header is Host is no defect, whatever its method: %s',
  async (path) => {
    const methods = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method));
    const { answers } = await exchangeRaw(
      world.port,
      methods.map((method) => request(`${method} ${path} HTTP/1.1`, ['Host: 127.0.0.1'])),
      { expected: methods.length },
    );
    expect(answers.length).toBe(methods.length);
    for (const answer of answers) expectProblem(answer, [401, 404, 405]);
  },
);

describe('an upgrade is not taken up', () => {
  const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];

  test('the request is answered like any other, and its connection is closed', async () => {
    const next = request('GET /api/v1/companies HTTP/1.1', HEAD);
    const { answers, closed } = await exchangeRaw(world.port, [
      request('GET /api/v1/me HTTP/1.1', [...HEAD, ...UPGRADE]),
      next,
    ]);
    expect([answers.map(({ status }) => status), closed]).toEqual([[200], true]);
    expect(answers[0]?.headers.get('connection')).toBe('close');
  });

  test('a body is read as a body, whenever it comes', async () => {
    const smuggled = request('GET /api/v1/companies HTTP/1.1', HEAD);
    const head = request(POST, [...JSON_HEAD, ...UPGRADE, `Content-Length: ${smuggled.length}`]);
    for (const parts of [[head + smuggled], [head, smuggled]]) {
      const { answers, closed } = await exchangeRaw(world.port, parts);
      expect([answers.length, closed]).toEqual([1, true]);
      expectProblem(answers[0], 400);
      expect(JSON.parse(answers[0]!.body).code).toBe('malformed_json');
    }
  });
});

test.each([
  ['two Host headers', ['Host: a', 'Host: b']],
  ['two Host headers that agree', ['Host: a', 'host: a']],
  ['a Host with a space', ['Host: a b']],
  ['a Host with a path', ['Host: a/b']],
  ['a Host with a name before it', ['Host: kari@a']],
  ['a Host with a port that is no number', ['Host: a:b']],
  ['a Host with a port that is too large', ['Host: a:65536']],
  ['a Host with a lone percent sign', ['Host: a%zz']],
  ['a Host with brackets around no address', ['Host: [:::::]']],
])('%s is refused with 400 and the connection is closed', async (_, hosts) => {
  const bytes = request('GET /api/v1/me HTTP/1.1', [...hosts, `Authorization: Bearer ${token}`]);
  const { answers, closed } = await exchangeRaw(world.port, [bytes, bytes]);
  expect([answers.length, closed]).toEqual([1, true]);
  expectProblem(answers[0], 400);
});

test.each(['localhost', '127.0.0.1:3000', '[::1]:3000', 'crm.example.no', 'xn--brnnysund-m8a.no', ''])(
  'Host: %s is taken',
  async (host) => {
    const bytes = request('GET /api/v1/me HTTP/1.1', [`Host: ${host}`, `Authorization: Bearer ${token}`]);
    const { answers } = await exchangeRaw(world.port, [bytes], { expected: 1 });
    expect(answers[0]?.status).toBe(200);
  },
);

test.each(['1.2.3.256', 'a%00', '%20'])(
  'options for a passkey are refused for Host: %s, which names no host',
  async (host) => {
    const heads = [`Host: ${host}`, 'Sec-Fetch-Site: same-origin', 'Content-Length: 0'];
    const bytes = request('POST /app/api/sign-in/passkey-options HTTP/1.1', heads);
    const { answers } = await exchangeRaw(world.port, [bytes], { expected: 1 });
    expect(answers[0]?.status).toBe(400);
  },
);

test.each(['gzip', 'identity', 'gzip, chunked', 'xchunked'])(
  'Transfer-Encoding: %s is 501 and the connection is closed',
  async (coding) => {
    const bytes = request(POST, [...JSON_HEAD, `Transfer-Encoding: ${coding}`], '0\r\n\r\n');
    const { answers, closed } = await exchangeRaw(world.port, [bytes, bytes]);
    expect([answers.length, closed]).toEqual([1, true]);
    expectProblem(answers[0], 501);
    expect(JSON.parse(answers[0]!.body).code).toBe('not_implemented');
  },
);

test.each(['%FF', '%C3', '%ZZ', 'a%', '%ED%A0%80'])(
  '%j in a query is 400 naming the parameter',
  async (value) => {
    const bytes = request(`GET /api/v1/users?email=${value}&limit=5 HTTP/1.1`, HEAD);
    const { answers } = await exchangeRaw(world.port, [bytes], { expected: 1 });
    expectProblem(answers[0], 400);
    expect(JSON.parse(answers[0]!.body).details).toEqual([
      { field: 'email', message: 'must be percent-encoded UTF-8' },
    ]);
  },
);

test.each([
  ['GET /api/v1/contacts?q=Bjørn HTTP/1.1', 'percent-encoded, such as ø as %C3%B8'],
  ['GET /api/v1/contacts?q=Kari Ås HTTP/1.1', 'percent-encoded as %20'],
  ['get /api/v1/contacts HTTP/1.1', 'a method in upper case'],
])('%j is refused, and the message says what is wrong', async (line, told) => {
  const { answers } = await exchangeRaw(world.port, [request(line, HEAD)]);
  expectProblem(answers[0], 400);
  expect(JSON.parse(answers[0]!.body)).toEqual({
    code: 'malformed_request',
    error: expect.stringContaining(told),
  });
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json'])(
  'without a body, Content-Type: %s is ignored',
  async (type) => {
    const { contact } = own;
    const heads = [...HEAD, `Content-Type: ${type}`];
    const removals = [heads, [...heads, 'Content-Length: 0']].map(async (lines) =>
      request(`DELETE /api/v1/contacts/${(await contact()).id} HTTP/1.1`, lines),
    );
    const parts = [...(await Promise.all(removals)), request(POST, heads)];
    const { answers } = await exchangeRaw(world.port, parts, { expected: 3 });
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 400]);
    expect(JSON.parse(answers[2]!.body).code).toBe('malformed_json');
  },
);

test.each(['/docs', '/docs/', '/healthz', '/readyz', '/metrics', '/api/v1/openapi.json'])(
  '%s takes nothing but GET and HEAD',
  async (path) => {
    const heads = ['Host: 127.0.0.1', 'Content-Length: 1', 'Content-Type: text/plain'];
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    const { answers } = await exchangeRaw(
      world.port,
      methods.map((method) => request(`${method} ${path} HTTP/1.1`, heads, 'x')),
      { expected: methods.length },
    );
    expect(answers.length).toBe(methods.length);
    for (const answer of answers) {
      expectProblem(answer, 405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
  },
);

test('a client that has closed its side of the connection gets its answers', async () => {
  const get = request('GET /api/v1/companies HTTP/1.1', HEAD);
  const { answers, closed } = await exchangeRaw(world.port, [get, get, get], { end: true });
  expect([answers.map(({ status }) => status), closed]).toEqual([[200, 200, 200], true]);
});
