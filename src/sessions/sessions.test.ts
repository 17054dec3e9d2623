import { afterAll, describe, expect, test } from 'vitest';
import { holdRow } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { createLink } from '../members/links.ts';

const world = await createWorld({ keepLogs: true });
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
afterAll(() => db.close());

test('a key does not open the application, nor a session the API', async () => {
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
  const enters = async () => (await browser.get('/session')).status;
  const hasJoined = (at: string) =>
    world.query(`update memberships set joined_at = ${at} where user_id = $1`, [workspace.member.id]);
  expect(await enters()).toBe(200);
  await hasJoined('null');
  expect(await enters()).toBe(401);
  await hasJoined('now()');
  expect(await enters()).toBe(200);
  await workspace.removeMember(workspace.member);
  expect(await enters()).toBe(401);
});

/** Adds a passkey and an account at an identity provider. */
async function addOtherWays(id: string) {
  await world.query(
    `insert into passkeys (id, user_id, public_key, counter, transports, name) values ($1, $2, '', 0, '{}', 'Nøkkel')`,
    [`key of ${id}`, id],
  );
  await world.query(
    `insert into identities (issuer, subject, user_id) values ('https://id.example', $1, $2)`,
    [id, id],
  );
}

const otherWays = (id: string) =>
  world.query(
    'select name from passkeys where user_id = $1 union all select issuer from identities where user_id = $1',
    [id],
  );

describe('with a password', () => {
  const password = 'riktig hest';
  let made = 0;

  async function person() {
    const workspace = await world.workspace();
    const one = await workspace.addMember({ email: `p${made++}-${process.pid}@example.no` });
    const { path } = await createLink(db, { kind: 'invitation', user_id: one.id, workspace: workspace.id });
    const names = { first_name: 'Åse', last_name: 'Berg' };
    const entered = await world.browser().post(path, { ...names, password });
    expect([entered.status, entered.body.data.user]).toEqual([
      200,
      expect.objectContaining({ id: one.id, ...names }),
    ]);
    return { workspace, ...one, path };
  }

  test('scripts and other sites cannot use the cookie, and only its digest is stored', async () => {
    const { email } = await person();
    const { headers } = await signIn(email, password);
    const [cookie] = headers['set-cookie']!;
    expect(cookie).toMatch(/^kundebok_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    const token = /=([\w-]+)/.exec(cookie!)![1]!;
    expect((await world.browser(token).get('/session')).status).toBe(200);
    expect(await world.query('select * from sessions where digest = $1', [token])).toEqual([]);
  });

  test('an invitation is accepted once', async () => {
    const { path } = await person();
    const again = await world.browser().post(path, { first_name: 'x', last_name: 'y', password });
    expect([again.status, again.body.code]).toEqual([410, 'link_used']);
  });

  test('a wrong password and an unknown address get the same answer, and each a log line', async () => {
    const { email, id } = await person();
    const wrong = await signIn(email, 'feil hest her');
    const unknown = await signIn(`x${email}`, 'feil hest her');
    expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
    expect(unknown.status).toBe(401);
    const reasons = world.logs.filter(({ msg }) => msg === 'sign-in refused').map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['wrong password', 'unknown address']));
    expect(JSON.stringify(world.logs)).not.toContain('feil hest');
    expect(world.logs).toContainEqual(expect.objectContaining({ reason: 'wrong password', user_id: id }));
  });

  test('an address that cannot be stored, or none, is refused as such', async () => {
    for (const [email, rule] of [
      ['a\0@example.no', 'text'],
      [' ', 'required'],
      ['', 'required'],
    ]) {
      const { status, body } = await signIn(email!, password);
      expect([status, body.details]).toMatchObject([400, [{ field: 'email', rule }]]);
    }
  });

  test('a new password needs the old one, and ends the other sessions', async () => {
    const one = await person();
    const { workspace } = one;
    const [here, there] = [await workspace.signIn(one), await workspace.signIn(one)];
    const wrong = await here.post('/profile/password', {
      current_password: 'nei',
      new_password: 'en ny og lang en',
    });
    expect([wrong.status, wrong.body.details[0].field]).toEqual([400, 'current_password']);
    const set = await here.post('/profile/password', {
      current_password: password,
      new_password: 'en ny og lang en',
    });
    expect(set.status).toBe(204);
    expect([(await here.get('/session')).status, (await there.get('/session')).status]).toEqual([200, 401]);
    expect((await signIn(one.email, 'en ny og lang en')).status).toBe(200);
  });

  test('a new password removes the other ways in where it is asked to', async () => {
    const { workspace, ...one } = await person();
    const here = await workspace.signIn(one);
    await addOtherWays(one.id);
    const body = { current_password: password, new_password: 'en ny og lang en' };
    expect((await here.post('/profile/password', body)).status).toBe(204);
    expect(await otherWays(one.id)).toHaveLength(2);
    const again = { current_password: body.new_password, new_password: 'en annen lang en' };
    expect((await here.post('/profile/password', { ...again, remove_other_ways: true })).status).toBe(204);
    expect([await otherWays(one.id), (await here.get('/session')).status]).toEqual([[], 200]);
  });

  test('a reset sets a new password, and ends all sessions and every other reset', async () => {
    const one = await person();
    const browser = await one.workspace.signIn(one);
    const [first, second] = [
      await createLink(db, { kind: 'reset', user_id: one.id }),
      await createLink(db, { kind: 'reset', user_id: one.id }),
    ];
    expect((await world.browser().post(first.path, { password: 'kort' })).body.details[0].field).toBe(
      'password',
    );
    expect((await world.browser().post(first.path, { password: 'helt nytt passord' })).status).toBe(200);
    expect((await browser.get('/session')).status).toBe(401);
    expect((await world.browser().post(second.path, { password: 'helt nytt passord' })).status).toBe(410);
    expect((await signIn(one.email, 'helt nytt passord')).status).toBe(200);
  });

  test('a reset shows the other ways in, and removes them where it is asked to', async () => {
    const { id } = await person();
    await addOtherWays(id);
    const { path } = await createLink(db, { kind: 'reset', user_id: id });
    expect((await world.browser().get(path)).body.data.other_ways).toEqual({
      passkeys: [{ name: 'Nøkkel', created_at: expect.any(String), last_used_at: null }],
      identities: [{ issuer: 'https://id.example', created_at: expect.any(String) }],
    });
    const kept = await world.browser().post(path, { password: 'helt nytt passord' });
    expect([kept.status, await otherWays(id)]).toEqual([200, [expect.anything(), expect.anything()]]);

    const again = await createLink(db, { kind: 'reset', user_id: id });
    const sent = { password: 'enda et nytt passord', remove_other_ways: true };
    expect((await world.browser().post(again.path, { ...sent, password: 'kort' })).status).toBe(400);
    expect(await otherWays(id)).toHaveLength(2);
    expect((await world.browser().post(again.path, sent)).status).toBe(200);
    expect(await otherWays(id)).toEqual([]);
    const logged = world.logs.filter(({ msg, user_id }) => msg === 'password reset' && user_id === id);
    expect(logged).toMatchObject([
      { user_id: id, removed_passkeys: 0, removed_identities: 0 },
      { user_id: id, removed_passkeys: 1, removed_identities: 1 },
    ]);
  });

  test('an invitation removes no ways in', async () => {
    const workspace = await world.workspace();
    const { id } = workspace.member;
    const { path } = await createLink(db, { kind: 'invitation', user_id: id, workspace: workspace.id });
    expect((await world.browser().get(path)).body.data.other_ways).toBeNull();
    const body = { first_name: 'Åse', last_name: 'Berg', password, remove_other_ways: true };
    const refused = await world.browser().post(path, body);
    expect([refused.status, refused.body.details[0].field]).toEqual([400, 'remove_other_ways']);
  });

  test('who signs in with the old password while a reset is under way is not in afterwards', async () => {
    const { email, id } = await person();
    const held = await holdRow(world.databaseUrl, 'select from users where id = $1 for update', [id]);
    const entering = signIn(email, password);
    await held.awaited();
    await held.run(`update users set password_hash = 'another' where id = '${id}'`);
    await held.run(`delete from sessions where user_id = '${id}'`);
    await held.commit();
    expect((await entering).status).toBe(401);
    expect(await world.query('select from sessions where user_id = $1', [id])).toEqual([]);
  });

  test('a password that was reset meanwhile is not changed back', async () => {
    const one = await person();
    const browser = await one.workspace.signIn(one);
    const held = await holdRow(world.databaseUrl, 'select from users where id = $1 for update', [one.id]);
    const changing = browser.post('/profile/password', {
      current_password: password,
      new_password: 'tyvens eget passord',
    });
    await held.awaited();
    await held.run(`update users set password_hash = 'another' where id = '${one.id}'`);
    await held.commit();
    expect((await changing).status).toBe(400);
    expect(await world.query('select password_hash from users where id = $1', [one.id])).toEqual([
      { password_hash: 'another' },
    ]);
  });

  test('the link of one workspace opens no other', async () => {
    const one = await person();
    const other = await world.workspace();
    await world.query("insert into memberships (tenant_id, user_id, role) values ($1, $2, 'owner')", [
      other.id,
      one.id,
    ]);
    const { body } = await signIn(one.email, password);
    expect(body.data.workspaces.map(({ id }: { id: string }) => id)).toEqual([one.workspace.id]);
    const { path } = await createLink(db, { kind: 'invitation', user_id: one.id, workspace: other.id });
    const stranger = await world
      .browser()
      .post(path, { first_name: 'x', last_name: 'y', password: 'et passord til' });
    expect([stranger.status, stranger.body.code]).toEqual([403, 'sign_in_first']);
    const own = await one.workspace.signIn(one);
    const joined = await own.post(path, {});
    expect([joined.status, joined.body.data.workspace.id]).toEqual([200, other.id]);
  });
});

test('a session is ended from another one, and only by its person', async () => {
  const workspace = await world.workspace();
  const [here, there, other] = [
    await workspace.signIn(),
    await workspace.signIn(),
    await workspace.signIn(workspace.member),
  ];
  const { data } = (await here.get('/sessions')).body;
  const { id } = data.find((session: { is_current: boolean }) => !session.is_current);
  expect((await other.delete(`/sessions/${id}`)).status).toBe(404);
  expect((await here.delete(`/sessions/${id}`)).status).toBe(204);
  expect([(await here.get('/session')).status, (await there.get('/session')).status]).toEqual([200, 401]);
});

test('a session ends 30 days after it was last used', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const own = [workspace.owner.id];
  const end = (at: string) =>
    world.query(
      `update sessions set last_used_at = now() - interval '29 days', expires_at = ${at} where user_id = $1`,
      own,
    );
  const daysLeft = async () => {
    const sql = 'select expires_at - now() as left from sessions where user_id = $1';
    const [{ left }] = await world.query(sql, own);
    return Math.round(left.days + (left.hours ?? 0) / 24);
  };
  await end("now() + interval '1 day'");
  expect((await browser.get('/session')).status).toBe(200);
  await expect.poll(daysLeft).toBe(30);
  await end("now() - interval '1 second'");
  expect((await browser.get('/session')).status).toBe(401);
});

function signIn(email: string, typed: string) {
  return world.browser().post('/sign-in', { email, password: typed });
}
