import { expect, test } from 'vitest';
import { createWorld } from './world.ts';

const world = await createWorld();

test('bad keys from its address keep no browser from the application, but made-up sessions do not get in', async () => {
  const running = await world.start({ rateLimit: { requests: 3, seconds: 10_800 } });
  const browser = await (await world.workspace(running)).signIn();
  // The service knows the session from here on.
  expect((await browser.get('/companies')).status).toBe(200);
  const statuses = [];
  for (let count = 0; count < 4; count++) {
    statuses.push((await running.client(`kb_wrong${count}`).get('/me')).status);
  }
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect((await browser.get('/companies')).status).toBe(200);
  expect((await running.browser('x'.repeat(43)).get('/companies')).status).toBe(429);
});

test('a session that has ended counts against its address again', async () => {
  const running = await world.start({ rateLimit: { requests: 3, seconds: 10_800 } });
  const workspace = await world.workspace(running);
  const browser = await workspace.signIn();
  expect((await browser.get('/companies')).status).toBe(200);
  await world.query('delete from sessions where user_id = $1', [workspace.owner.id]);
  const statuses = [];
  for (let count = 0; count < 5; count++) statuses.push((await browser.get('/companies')).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
});
