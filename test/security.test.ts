import crypto from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../src/db/connect.ts';
import { createLink } from '../src/members/links.ts';
import { codesIn, readDocument, tableUnder } from './documents.ts';
import { createWorld } from './world.ts';
import { ROOT } from './service.ts';

const world = await createWorld({ keepLogs: true });
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
afterAll(() => db.close());
const password = 'riktig hest batteri';

async function person() {
  const workspace = await world.workspace();
  const one = await workspace.addMember();
  const { path } = await createLink(db, { kind: 'invitation', user_id: one.id, workspace: workspace.id });
  const { headers } = await world.browser().post(path, { first_name: 'Åse', last_name: 'Berg', password });
  return { workspace, ...one, path, token: tokenOf(headers) };
}

const tokenOf = (headers: { 'set-cookie'?: string[] }) => /=([\w-]+)/.exec(headers['set-cookie']![0]!)![1]!;

test('the table of attacks names tests that are there', async () => {
  const rows = tableUnder(await readDocument('docs/security.md'), 'Attacks and how they are prevented');
  expect(rows.length).toBeGreaterThan(8);
  for (const [, , tests] of rows) {
    for (const file of codesIn(tests)) await readFile(ROOT + file, 'utf8');
    const [file] = codesIn(tests);
    expect(await readFile(ROOT + file!, 'utf8')).toContain(/“([^”]+)”/.exec(tests!)![1]!);
  }
});

test('a session that somebody planted ends when its owner signs in', async () => {
  const [victim, attacker] = [await person(), await person()];
  const planted = world.browser(attacker.token);
  const { headers } = await planted.post('/sign-in', { email: victim.email, password });
  expect(tokenOf(headers)).not.toBe(attacker.token);
  expect((await planted.get('/session')).status).toBe(401);
  expect((await world.browser(tokenOf(headers)).get('/session')).body.data.user.id).toBe(victim.id);
});

test('where the service is reached over TLS, the cookie is sent over TLS only, and no other host can set it', async () => {
  const { email, token } = await person();
  const running = await world.start({ trustProxy: ['127.0.0.1'] });
  const cookieOver = async (protocol: string) => {
    const { headers } = await running.browser().send({
      method: 'POST',
      path: '/sign-in',
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-proto': protocol,
      },
      body: JSON.stringify({ email, password }),
    });
    return headers['set-cookie']![0];
  };
  const cookie = await cookieOver('https');
  expect(cookie).toMatch(
    /^__Host-kundebok_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(await cookieOver('http')).not.toMatch(/__Host|Secure/);

  const statusWith = async (sent: string) => {
    const headers = { cookie: sent, 'sec-fetch-site': 'same-origin', 'x-forwarded-proto': 'https' };
    return (await running.browser().send({ path: '/session', headers })).status;
  };
  expect(await statusWith(cookie!.split(';')[0]!)).toBe(200);
  // Another host of the domain can set this cookie for the whole domain.
  expect(await statusWith(`kundebok_session=${token}`)).toBe(401);
});

test('a token that nobody issued is not taken over', async () => {
  const chosen = 'a'.repeat(43);
  const { email } = await person();
  const { headers } = await world.browser(chosen).post('/sign-in', { email, password });
  expect(tokenOf(headers)).not.toBe(chosen);
  expect((await world.browser(chosen).get('/session')).status).toBe(401);
});

test.each([
  '/',
  '/sign-in',
  '/welcome/x',
  '/companies',
  '/no/such/page',
  '/assets/none.js',
  '/docs',
  '/docs/js/scalar.js',
  '/api/v1/openapi.json',
  '/healthz',
  '/readyz',
  '/metrics',
  '/app/api/session',
])('%s is not framed, sends no referrer, and runs no script of others', async (path) => {
  const { headers } = await world.browser().send({ path, absolute: true, headers: { accept: 'text/html' } });
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['x-content-type-options']).toBe('nosniff');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("frame-ancestors 'none'");
  if (!path.startsWith('/docs')) expect(policy).not.toContain('unsafe');
  expect(policy).toMatch(/^default-src 'none'/);
});

test('neither passwords nor tokens, links or keys are logged', async () => {
  const { email, token, path } = await person();
  await world.browser().post('/sign-in', { email, password: 'et helt annet passord' });
  await world.browser(token).get('/session');
  await world.browser().get(path);
  const logged = JSON.stringify(world.logs);
  expect(logged).toContain('/app/api/welcome/{token}');
  for (const secret of [password, 'et helt annet passord', token, path.split('/').at(-1)!, email]) {
    expect(logged).not.toContain(secret);
  }
});

test('an unknown address takes the time of a wrong password', async () => {
  const { email } = await person();
  // The hash takes nearly all of the time, and its cost says how much.
  const hash = vi.spyOn(crypto, 'argon2');
  onTestFinished(() => hash.mockRestore());
  const costs = [];
  for (const address of [email, `un${email}`]) {
    const body = { email: address, password: 'feil passord her' };
    expect((await world.browser().post('/sign-in', body)).status).toBe(401);
    costs.push(
      hash.mock.calls
        .splice(0)
        .map(([algorithm, { nonce, ...cost }]) => [algorithm, Buffer.byteLength(nonce), cost]),
    );
  }
  expect(costs[0]).toHaveLength(1);
  expect(costs[1]).toEqual(costs[0]);
});
