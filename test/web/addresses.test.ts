import { expect, test } from 'vitest';
import { createWorld } from '../world.ts';

const world = await createWorld();

test('an address of the application is its page with a policy of its own; another is not found', async () => {
  const ask = async (path: string, accept = 'text/html') =>
    fetch(world.origin + path, { headers: { accept } });
  const [one, other] = [await ask('/companies/923609016'), await ask('/')];
  expect([one.status, other.status]).toEqual([200, 200]);
  const policies = [one, other].map((answer) => answer.headers.get('content-security-policy')!);
  expect(policies[0]).toMatch(/script-src 'nonce-[\w+/=]{24}' 'strict-dynamic';/);
  expect(policies[0]).not.toMatch(/unsafe/);
  expect(policies[0]).not.toBe(policies[1]);
  const nonce = /nonce-([^']+)/.exec(policies[0]!)![1]!;
  const html = await one.text();
  expect([...html.matchAll(/<script[^>]*>/g)].every(([tag]) => tag.includes(`nonce="${nonce}"`))).toBe(true);

  const unknown = await ask('/nothing');
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  for (const answer of [
    await ask('/nothing', 'application/json'),
    await ask('/api/nothing'),
    await ask('/docs/nothing'),
    await ask('/assets/nothing.js'),
  ]) {
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
  }
  // Only people who are signed in are told whether there is such an operation.
  expect((await ask('/app/api/nothing')).status).toBe(401);

  const [, script] = /src="(\/assets\/[^"]+)"/.exec(html)!;
  const file = await fetch(world.origin + script!, { headers: { 'accept-encoding': 'br' } });
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(file.headers.get('content-encoding')).toBe('br');
});
