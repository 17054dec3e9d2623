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
