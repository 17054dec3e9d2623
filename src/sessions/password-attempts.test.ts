import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { hashPassword } from './password.ts';

const world = await createWorld();

const password = 'et langt passord her';
const signIn = (email: string, typed: string) => world.browser().post('/sign-in', { email, password: typed });

/** A member who signs in with the password. */
async function person() {
  const workspace = await world.workspace();
  await setPassword(workspace.member.id);
  await workspace.signIn(workspace.member);
  return workspace.member;
}

const setPassword = async (id: string) =>
  world.query('update users set password_hash = $2 where id = $1', [id, await hashPassword(password)]);

test('after five failures no attempt from the network is accepted, even with the right password', async () => {
  const { email } = await person();
  for (let count = 0; count < 5; count++) expect((await signIn(email, 'feil hest her')).status).toBe(401);
  const refused = await signIn(email, password);
  const { length } = await world.query('select from sign_in_attempts where account = sha256($1)', [email]);
  expect([refused.status, refused.headers['retry-after'], length]).toEqual([429, '900', 5]);
});

test('failures from other networks do not lock out a person who signed in from this one before', async () => {
  const { email } = await person();
  expect((await signIn(email, password)).status).toBe(200);
  await world.query(
    `insert into sign_in_attempts (id, account, network)
     select gen_random_uuid(), sha256($1::bytea), '10.0.0.' || n from generate_series(1, 200) n`,
    [email],
  );
  expect((await signIn(email, password)).status).toBe(200);
  const account = 'account = sha256($1::bytea) and succeeded';
  await world.query(`delete from sign_in_attempts where ${account}`, [email]);
  expect((await signIn(email, password)).status).toBe(429);
});

test('wrong passwords of one person keep nobody else from changing theirs', async () => {
  const workspace = await world.workspace();
  const [one, other] = [await workspace.signIn(), await workspace.signIn(workspace.member)];
  for (const { id } of [workspace.owner, workspace.member]) await setPassword(id);
  const wrong = { current_password: 'nei', new_password: 'en ny og lang en' };
  for (let count = 0; count < 5; count++) {
    expect((await one.post('/profile/password', wrong)).status).toBe(400);
  }
  expect((await one.post('/profile/password', wrong)).status).toBe(429);
  // More failures than one network may have, if both people shared one.
  const more = await world.query(
    `insert into sign_in_attempts (id, account, network)
     select gen_random_uuid(), account, network from sign_in_attempts, generate_series(1, 10)
     where network = $1 returning id`,
    [`session of ${workspace.owner.id}`],
  );
  expect(more).toHaveLength(50);
  expect((await other.post('/profile/password', wrong)).status).toBe(400);
});

test('attempts with the id of a person as the address keep nobody from changing their password', async () => {
  const workspace = await world.workspace();
  const { id } = workspace.owner;
  const browser = await workspace.signIn();
  await browser.post('/profile/password', { new_password: password });
  expect((await signIn(id, 'nei')).status).toBe(401);
  // Failures from other networks, more than one account may have.
  const more = await world.query(
    `insert into sign_in_attempts (id, account, network)
     select gen_random_uuid(), account, '10.0.0.' || n from sign_in_attempts, generate_series(1, 60) as n
     where account = sha256($1::bytea) returning id`,
    [id],
  );
  expect(more).toHaveLength(60);
  const changed = { current_password: password, new_password: 'en ny og lang en' };
  expect((await browser.post('/profile/password', changed)).status).toBe(204);
});
