import { expect, test } from 'vitest';
import { readDocument } from './documents.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const guide = await readDocument('docs/guide.md');

/** Requests that fail several checks at once: each passes the check that refused the one before. */
test('checks come in the order that the guide states', async () => {
  const workspace = await world.workspace();
  const [reader, all] = [await workspace.key(['offers:read']), await workspace.key()];
  const large = 'x'.repeat(300 * 1024);
  const send = async (path: string, token: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const answer = await fetch(`${world.origin}/api/v1${path}`, { method: 'POST', headers, body });
    return `${answer.status} ${((await answer.json()) as { code: string }).code}`;
  };
  const query = '?unknown=1';
  const seen = [
    await send(`/nowhere?${'x'.repeat(9_000)}`, 'none', 'text/plain', large),
    await send('/nowhere', 'none', 'text/plain', large),
    await send('/nowhere', reader.token, 'text/plain', large),
    await send(`/tasks${query}`, reader.token, 'text/plain', large),
    await send(`/tasks${query}`, all.token, 'text/plain', large),
    await send(`/tasks${query}`, all.token, 'application/json', large),
    await send(`/tasks${query}`, all.token, 'application/json', 'x'),
    await send(`/tasks${query}`, all.token, 'application/json', '{}'),
    await send('/companies', all.token, 'application/json', '{"orgnr":"388444444"}'),
  ];
  expect(seen).toEqual([
    '414 uri_too_long',
    '401 unauthorized',
    '404 not_found',
    '403 forbidden',
    '415 unsupported_media_type',
    '413 payload_too_large',
    '400 malformed_json',
    '400 invalid_request',
    '422 not_in_register',
  ]);
  const [, list = ''] = guide.text.split('### Order of checks\n');
  const lines = list.split('\n').filter((line) => /^\d+\. /.test(line));
  let last = -1;
  for (const outcome of seen) {
    const [status = '', code = ''] = outcome.split(' ');
    const at = lines.findIndex((line) => line.includes(status === '400' ? `400 \`${code}\`` : status));
    expect(at).toBeGreaterThan(last);
    last = at;
  }
});

test.each([
  // A path with an empty part names nothing, whatever the key may do.
  ['GET', '/companies/', 404],
  ['GET', '/contacts//points', 404],
  ['PATCH', '/companies/', 404],
  // The query decides on the permission, and is itself invalid.
  ['GET', '/contacts?include=links&limit=0', 403],
  ['GET', '/contacts?include=points,links&x=y', 403],
  ['GET', '/contacts?company_id=x', 403],
  ['GET', '/contacts?include=points&limit=0', 400],
  // A path means the same with any of its characters encoded.
  ['GET', '/%6de', 200],
  ['PUT', '/%6de', 405],
  ['POST', '/%63ompanies/923609016', 405],
  ['PUT', '/contacts/a%2Fb', 405],
  ['PUT', '/contacts%2Fa', 404],
])('a key for contacts alone: %s %s is %i', async (method, path, status) => {
  const { client } = await (await world.workspace()).key(['contacts:read']);
  const body = method === 'PATCH' ? { headers: { 'content-type': 'text/plain' }, body: '{' } : {};
  expect((await client.send({ method, path, ...body })).status).toBe(status);
});
