import { expect, test } from 'vitest';
import { holdRow } from '../../test/locks.ts';
import { answerWithinSecond } from '../../test/until.ts';
import { setClockAhead } from '../../test/wrong-clock.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();
const other = await world.start();

const BODY = { name: 'Regnskap', permissions: ['companies:read', 'offers:read'] };

type Listed = { id: string; name: string; state: string; may: object };

const namesOf = async (browser: { get: (path: string) => Promise<{ body: { data: Listed[] } }> }) =>
  (await browser.get('/keys')).body.data.map(({ name }) => name);

/** Browsers of an owner, an admin and a member. */
async function team(workspace: Workspace) {
  const admin = await workspace.addMember({ first_name: 'Anne' }, 'admin');
  const [asOwner, asAdmin, asMember] = await Promise.all(
    [workspace.owner, admin, workspace.member].map((person) => workspace.signIn(person)),
  );
  return { asOwner: asOwner!, asAdmin: asAdmin!, asMember: asMember!, admin };
}

test('a member creates a key that is shown once and can do what it was given permission for', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  const created = await browser.post('/keys', { ...BODY, expires_at: '2999-01-01T00:00:00Z' });
  expect(created.status).toBe(201);
  const { key, token } = created.body.data;
  expect(key).toMatchObject({
    ...BODY,
    creator: { id: workspace.member.id },
    expires_at: '2999-01-01T00:00:00.000Z',
    state: 'active',
    last_used_at: null,
    requests_24h: 0,
  });
  const client = world.client(token);
  expect((await client.get('/me')).body.data).toMatchObject({
    user_id: workspace.member.id,
    permissions: 65,
  });
  expect((await client.get('/companies')).status).toBe(200);
  expect((await client.get('/tasks')).status).toBe(403);
  const listed = await browser.get('/keys');
  expect(listed.text).not.toContain(token);
  expect(listed.body.data.map(({ id }: Listed) => id)).toEqual([key.id]);
});

test('nothing of a new key is kept under an Idempotency-Key', async () => {
  const browser = await (await world.workspace()).signIn();
  const sent = await browser.send({
    method: 'POST',
    path: '/keys',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
    body: JSON.stringify(BODY),
  });
  expect([sent.status, sent.body.details[0].field]).toEqual([400, 'Idempotency-Key']);
  expect(await world.query('select * from remembered_answers')).toEqual([]);
});

test.each([
  ['name', { ...BODY, name: ' ' }],
  ['permissions', { ...BODY, permissions: [] }],
  ['permissions', { ...BODY, permissions: ['everything'] }],
  ['expires_at', { ...BODY, expires_at: '2020-01-01T00:00:00Z' }],
  ['user_id', { ...BODY, user_id: '018f3a52-0000-7000-8000-000000000001' }],
])('a key is refused for its %s', async (field, body) => {
  const browser = await (await world.workspace()).signIn();
  const { status, body: problem } = await browser.post('/keys', body);
  expect([status, problem.details[0].field.split('.')[0]]).toEqual([400, field]);
});

test('members see and revoke their own keys, admins all of them', async () => {
  const workspace = await world.workspace();
  const { asOwner, asAdmin, asMember } = await team(workspace);
  for (const [name, browser] of Object.entries({ owner: asOwner, admin: asAdmin, member: asMember })) {
    await browser.post('/keys', { ...BODY, name });
  }
  expect(await namesOf(asMember)).toEqual(['member']);
  expect(await namesOf(asAdmin)).toEqual(['member', 'admin', 'owner', 'test']);
  expect(await namesOf(asOwner)).toEqual(['member', 'admin', 'owner', 'test']);

  const { data } = (await asAdmin.get('/keys')).body as { data: Listed[] };
  const key = (name: string) => data.find((one) => one.name === name)!;
  expect(data.map(({ name, may }) => [name, may])).toEqual([
    ['member', { rotate: true, revoke: true }],
    ['admin', { rotate: true, revoke: true }],
    ['owner', { rotate: false, revoke: true }],
    ['test', { rotate: false, revoke: true }],
  ]);
  expect((await asMember.post(`/keys/${key('owner').id}/revoke`, {})).status).toBe(404);
  expect((await asMember.post(`/keys/${key('owner').id}/rotate`, { overlap_hours: 0 })).status).toBe(404);
  const inOwnersName = await asAdmin.post(`/keys/${key('owner').id}/rotate`, { overlap_hours: 0 });
  expect([inOwnersName.status, inOwnersName.body.code]).toEqual([403, 'forbidden']);
  const revoked = await asAdmin.post(`/keys/${key('owner').id}/revoke`, {});
  expect([revoked.status, revoked.body.data.state]).toEqual([200, 'revoked']);
  expect(await asAdmin.post(`/keys/${key('owner').id}/revoke`, {})).toMatchObject({
    status: 200,
    body: revoked.body,
  });
  expect((await asOwner.post(`/keys/${key('member').id}/rotate`, { overlap_hours: 0 })).status).toBe(201);
});

test('a revoked key stops in every process within a second', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { key, token } = (await browser.post('/keys', BODY)).body.data;
  const clients = [world.client(token), other.client(token)];
  for (const client of clients) expect((await client.get('/me')).status).toBe(200);
  await browser.post(`/keys/${key.id}/revoke`, {});
  for (const client of clients) {
    expect(await answerWithinSecond(async () => (await client.get('/me')).status, 401)).toBe(401);
  }
  expect((await browser.get('/keys?ended=true')).body.data).toMatchObject([{ id: key.id, state: 'revoked' }]);
});

test('a key that expires at the end of the year 9999 can be replaced', async () => {
  const browser = await (await world.workspace()).signIn();
  const expires_at = '9999-12-31T23:59:59.999Z';
  const { id } = (await browser.post('/keys', { ...BODY, expires_at })).body.data.key;
  const { status, body } = await browser.post(`/keys/${id}/rotate`, { overlap_hours: 1 });
  expect([status, body.data?.key.expires_at]).toEqual([201, expires_at]);
});

test('a replaced key works for the overlap by PostgreSQL’s clock, whatever that of the process says', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = (await browser.post('/keys', { ...BODY, expires_at: '2999-01-01T00:00:00Z' })).body.data.key;
  setClockAhead(-25);
  const answer = await browser.post(`/keys/${id}/rotate`, { overlap_hours: 24 });
  const [old] = await world.query(
    `select extract(epoch from old.expires_at - now()) / 3600 as hours, new.expires_at >= '2999-01-01' as is_full
     from api_keys old, api_keys new where old.id = $1 and new.id = $2`,
    [id, answer.body.data.key.id],
  );
  expect(Number(old.hours)).toBeCloseTo(24, 1);
  expect(old.is_full).toBe(true);
});

test('uses from before PostgreSQL’s clock was set back are not shown as future uses', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = (await browser.post('/keys', BODY)).body.data.key;
  await world.query(
    `insert into key_use select $1, $2, date_trunc('hour', at), 1, 1, at
     from unnest(array[now() - interval '1 minute', now() + interval '1 year']) as at`,
    [workspace.id, id],
  );
  const { data } = (await browser.get('/keys')).body;
  const key = data.find((one: Listed) => one.id === id);
  expect(key).toMatchObject({ requests_24h: 1, errors_24h: 1 });
  expect(Date.parse(key.last_used_at)).toBeLessThan(Date.now());
});

test('a replaced key works beside its successor until its time is over', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const first = (await browser.post('/keys', { ...BODY, expires_at: '2999-01-01T00:00:00Z' })).body.data;
  const rotated = await browser.post(`/keys/${first.key.id}/rotate`, { overlap_hours: 24 });
  expect(rotated.status).toBe(201);
  const { key, token } = rotated.body.data;
  expect(key).toMatchObject({ ...BODY, creator: first.key.creator, state: 'active' });
  expect(key.expires_at > '2998').toBe(true);
  for (const each of [first.token, token]) expect((await world.client(each).get('/me')).status).toBe(200);

  const { data } = (await browser.get('/keys')).body;
  const old = data.find(({ id }: Listed) => id === first.key.id);
  expect(old).toMatchObject({ state: 'replaced', replaced_by: key.id, may: { rotate: false, revoke: true } });
  const hoursLeft = (Date.parse(old.expires_at) - Date.now()) / 3_600_000;
  expect(hoursLeft).toBeGreaterThan(23.9);
  expect(hoursLeft).toBeLessThanOrEqual(24);
  const again = await browser.post(`/keys/${first.key.id}/rotate`, { overlap_hours: 24 });
  expect([again.status, again.body.code]).toEqual([409, 'key_ended']);

  await world.query('update api_keys set expires_at = now() where id = $1', [first.key.id]);
  const status = async () => (await world.client(first.token).get('/me')).status;
  expect(await answerWithinSecond(status, 401)).toBe(401);
  expect((await world.client(token).get('/me')).status).toBe(200);
});

test('without an overlap the old key ends at once, and two rotations at once make one key', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { key, token } = (await browser.post('/keys', BODY)).body.data;
  const rotate = () => browser.post(`/keys/${key.id}/rotate`, { overlap_hours: 0 });
  const statuses = (await Promise.all([rotate(), rotate(), rotate()])).map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 409, 409]);
  expect(await answerWithinSecond(async () => (await world.client(token).get('/me')).status, 401)).toBe(401);
  expect((await browser.get('/keys')).body.data).toHaveLength(2);
});

test.each([-1, 721, 1.5, '1'])('an overlap of %j hours is refused', async (overlap_hours) => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { key } = (await browser.post('/keys', BODY)).body.data;
  expect((await browser.post(`/keys/${key.id}/rotate`, { overlap_hours })).status).toBe(400);
});

test('an API key manages no keys, nor does somebody of another workspace', async () => {
  const [workspace, elsewhere] = [await world.workspace(), await world.workspace()];
  const { id, client } = await workspace.key();
  for (const path of ['/app/api/keys', '/api/v1/keys']) {
    const headers = { authorization: `Bearer ${client.token}` };
    expect((await world.browser().send({ path, absolute: true, headers })).status).not.toBe(200);
  }
  const stranger = await elsewhere.signIn();
  expect((await stranger.post(`/keys/${id}/revoke`, {})).status).toBe(404);
  expect((await stranger.post(`/keys/${id}/rotate`, { overlap_hours: 0 })).status).toBe(404);
  expect((await client.get('/me')).status).toBe(200);
});

test('a key erases people only while its creator is an admin or owner, also after a rotation', async () => {
  const workspace = await world.workspace();
  const { asOwner, asAdmin, asMember, admin } = await team(workspace);
  const all = { name: 'Alt', permissions: ['contacts:read', 'contacts:write'] };
  const made = async (browser: typeof asOwner) => (await browser.post('/keys', all)).body.data;
  const erase = async (token: string, on = world) => {
    const { id } = await workspace.contact();
    return (await on.client(token).delete(`/contacts/${id}`)).status;
  };
  expect(await erase((await made(asMember)).token)).toBe(403);
  expect(await erase((await made(asOwner)).token)).toBe(204);
  const { key, token } = await made(asAdmin);
  expect(await erase(token)).toBe(204);
  expect((await other.client(token).get('/contacts')).status).toBe(200);
  expect((await asOwner.patch(`/members/${admin.id}`, { role: 'member' })).status).toBe(200);
  for (const on of [world, other]) {
    expect(await answerWithinSecond(() => erase(token, on as typeof world), 403)).toBe(403);
    expect((await on.client(token).get('/contacts')).status).toBe(200);
  }
  const rotated = (await asOwner.post(`/keys/${key.id}/rotate`, { overlap_hours: 0 })).body.data;
  expect(await erase(rotated.token)).toBe(403);
});

test('an admin who is removed while they replace the key of another gets none', async () => {
  const workspace = await world.workspace();
  const { asAdmin, admin } = await team(workspace);
  const { id } = await workspace.key(['companies:read'], { user: workspace.member });
  const held = await holdRow(world.databaseUrl, 'select from api_keys where id = $1 for update', [id]);
  const membership = `tenant_id = '${workspace.id}' and user_id = '${admin.id}'`;
  await held.run(`select from memberships where ${membership} for update`);
  const rotating = asAdmin.post(`/keys/${id}/rotate`, { overlap_hours: 1 });
  await held.awaited();
  await held.run(`update memberships set removed_at = now() where ${membership}`);
  await held.commit();
  const answer = await rotating;
  expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  expect(await world.query('select replaced_by from api_keys where id = $1', [id])).toEqual([
    { replaced_by: null },
  ]);
});

test('a revocation takes no Idempotency-Key, so that a demoted admin does not get its answer once more', async () => {
  const workspace = await world.workspace();
  const { asOwner, asAdmin, admin } = await team(workspace);
  const { id } = await workspace.key(['companies:read'], { user: workspace.member });
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'once' };
  const revoke = () => asAdmin.send({ method: 'POST', path: `/keys/${id}/revoke`, headers, body: '{}' });
  const before = await revoke();
  expect((await asOwner.patch(`/members/${admin.id}`, { role: 'member' })).status).toBe(200);
  const after = await revoke();
  expect([before.body.data, after.body.data]).toEqual([undefined, undefined]);
  expect([before, after].map(({ body }) => body.details[0].field)).toEqual(Array(2).fill('Idempotency-Key'));
});

test('a key that is created while its creator is removed or demoted waits for that, and is refused or has the lower role', async () => {
  const workspace = await world.workspace();
  const { asAdmin, admin } = await team(workspace);
  const during = async (change: string) => {
    const update = `update memberships set ${change} where tenant_id = $1 and user_id = $2`;
    const held = await holdRow(world.databaseUrl, update, [workspace.id, admin.id]);
    const creating = asAdmin.post('/keys', { name: 'Alt', permissions: ['contacts:read', 'contacts:write'] });
    await held.awaited();
    await held.commit();
    return creating;
  };
  const { id } = await workspace.contact();
  const created = await during("role = 'member'");
  expect(created.status).toBe(201);
  expect((await world.client(created.body.data.token).delete(`/contacts/${id}`)).status).toBe(403);
  expect((await during('removed_at = now()')).status).toBe(404);
  const live = 'select id from api_keys where tenant_id = $1 and user_id = $2';
  expect(await world.query(live, [workspace.id, admin.id])).toHaveLength(1);
});
