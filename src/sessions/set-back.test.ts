import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('failures to sign in from before PostgreSQL’s clock was set back keep nobody out', async () => {
  const { email } = (await world.workspace()).member;
  const enter = async () =>
    (await world.browser().post('/sign-in', { email, password: 'feil passord' })).status;
  for (let count = 0; count < 5; count++) expect(await enter()).toBe(401);
  expect(await enter()).toBe(429);
  await world.query("update sign_in_attempts set at = at + interval '1 day'");
  expect(await enter()).toBe(401);
});

test('a session that was used before PostgreSQL’s clock was set back lasts 30 days from its next use', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const own = [workspace.owner.id];
  expect((await browser.get('/session')).status).toBe(200);
  await world.query(
    `update sessions set last_used_at = now() + interval '1 year', expires_at = now() + interval '13 months' where user_id = $1`,
    own,
  );
  await world.query(
    "update memberships set last_used_at = now() + interval '1 year' where user_id = $1",
    own,
  );
  expect((await browser.get('/session')).status).toBe(200);
  const sql = `select s.last_used_at <= now() and m.last_used_at <= now() as is_past,
      s.expires_at <= now() + interval '30 days' as is_in_time
    from sessions s join memberships m using (user_id) where user_id = $1`;
  await expect.poll(() => world.query(sql, own)).toEqual([{ is_past: true, is_in_time: true }]);
});
