import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createWorld } from './world.ts';

const world = await createWorld();

const JSON_TYPE = { 'content-type': 'application/json' };

test('a GET ignores a body', async () => {
  const { client } = await world.workspace();
  const answer = await client.send({ path: '/me', headers: JSON_TYPE, body: '{' });
  expect(answer.status).toBe(200);
});

describe('addresses', () => {
  test.each(['/companies/%zz', '/companies/%', '/companies/%E0%A4%A', '/%zz', '/tasks/%c0%af'])(
    '%s, which cannot be decoded, is refused after the key is checked',
    async (path) => {
      const { client } = await world.workspace();
      const { status, body, headers } = await client.send({ path, headers: { 'x-request-id': 'abc' } });
      expect(['400 invalid_request', '404 not_found']).toContain(`${status} ${body.code}`);
      expect(headers['x-request-id']).toBe('abc');
      expect((await world.client().get(path)).status).toBe(401);
    },
  );

  test('an encoded slash does not separate segments of a path, and an encoded letter is the letter', async () => {
    const { client, company } = await world.workspace();
    const { orgnr } = await company();
    expect((await client.get(`/companies/${orgnr}%2Fnotes`)).status).toBe(400);
    expect((await client.get(`/companies%2F${orgnr}`)).status).toBe(404);
    expect((await client.get(`/companies/%3${orgnr[0]}${orgnr.slice(1)}`)).body.data.orgnr).toBe(orgnr);
    expect((await client.get('/%6De')).status).toBe(200);
  });

  test('dots and NUL lead nowhere', async () => {
    const { client } = await world.workspace();
    for (const path of [
      '/companies/../me',
      '/companies/..%2Fme',
      '/companies/%2e%2e/me',
      '/me%00',
      '/me/%00',
      '/companies/%00',
    ]) {
      const { status } = await client.get(path);
      expect([path, [400, 404].includes(status)]).toEqual([path, true]);
    }
  });

  test('a method named in a header or in the query does not replace that of the request', async () => {
    const { client, contact } = await world.workspace();
    const { id } = await contact();
    const headers = {
      'x-http-method-override': 'PATCH',
      'x-method-override': 'PATCH',
      'x-http-method': 'PATCH',
    };
    const got = await client.send({
      path: `/contacts/${id}`,
      headers: { ...headers, ...JSON_TYPE },
      body: '{"name":"x"}',
    });
    expect([got.status, got.body.data.name]).toEqual([200, 'Kari Nordmann']);
    const posted = await client.send({ method: 'POST', path: `/contacts/${id}`, headers, body: '{}' });
    expect(posted.status).toBe(405);
    expect((await client.get(`/contacts/${id}?_method=PATCH`)).status).toBe(400);
  });

  test('a host that is forged changes nothing', async () => {
    const { client } = await world.workspace();
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-original-url': '/api/v1/companies',
    };
    const answer = await client.send({ path: '/me', headers });
    expect(answer.status).toBe(200);
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain('evil');
  });
});

describe('the request id', () => {
  test.each(['abc', '0d9c6c1e-7f1c-4f5c-9a51-1f4f4c5b7a10', 'a.b:c+d/e=f_g-h', 'x'.repeat(128)])(
    '%s is used as it was sent',
    async (id) => {
      const { client } = await world.workspace();
      for (const path of ['/me', '/nothing', '/tasks/x']) {
        const answer = await client.send({ path, headers: { 'x-request-id': id } });
        expect([path, answer.headers['x-request-id']]).toEqual([path, id]);
      }
    },
  );

  test.each([
    '',
    ' ',
    'a b',
    'x'.repeat(129),
    '<script>',
    'a;b',
    '{"a":1}',
    'æ',
    'a\tb',
    '%0d%0aSet-Cookie:a=b',
  ])('%j is not used, and a new one is made', async (id) => {
    const { client } = await world.workspace();
    const answer = await client.send({ path: '/me', headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  test('two in one request are not used, and each request without an id gets one of its own', async () => {
    const { client } = await world.workspace();
    const twice = await client.send({ path: '/me', headers: { 'x-request-id': ['abc', 'def'] } });
    expect(twice.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    const others = await Promise.all(Array.from({ length: 20 }, () => client.get('/me')));
    expect(new Set(others.map(({ headers }) => headers['x-request-id'])).size).toBe(20);
  });
});

test('a CORS preflight is refused like any method that its path does not take, without CORS headers', async () => {
  const { client } = await world.workspace();
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
  expect((await client.send({ method: 'OPTIONS', path: '/me', headers })).status).toBe(405);
  expect((await client.send({ path: '/me', headers })).status).toBe(200);
  const unknown = await world.client().send({ method: 'OPTIONS', path: '/me', headers });
  expect(unknown.status).toBe(401);
});

test('answers are the same bytes each time', async () => {
  const { client, contact } = await world.workspace();
  const { id } = await contact();
  const digests = new Set<string>();
  for (let count = 0; count < 5; count++) {
    digests.add(
      createHash('sha256')
        .update((await client.get(`/contacts/${id}`)).text)
        .digest('hex'),
    );
  }
  expect(digests.size).toBe(1);
});
