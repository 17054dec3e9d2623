import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('a key does not open the application, nor a session the interface', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  expect((await browser.get('/companies')).status).toBe(200);
  const withSession = await browser.send({ path: '/api/v1/companies', absolute: true });
  expect(withSession.status).toBe(401);
  const headers = { authorization: `Bearer ${workspace.client.token}` };
  const withKey = await world.browser().send({ path: '/companies', headers });
  expect(withKey.status).toBe(401);
});

test.each([
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  {},
])('a change is refused that comes from elsewhere: %o', async (headers) => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const sent = await browser.send({
    method: 'POST',
    path: '/contacts',
    headers: { 'sec-fetch-site': undefined, 'content-type': 'application/json', ...headers },
    body: '{"name":"Kari"}',
  });
  expect([sent.status, sent.body.code]).toEqual([403, 'cross_site']);
  expect((await browser.get('/contacts')).body.data).toEqual([]);
});

test('somebody who has not accepted the invitation, or was removed, is not let in', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  expect((await browser.get('/session')).status).toBe(200);
  await workspace.removeMember(workspace.member);
  expect((await browser.get('/session')).status).toBe(401);
});
