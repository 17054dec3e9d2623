import { expect, inject, test } from 'vitest';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

let invited = 0;
const freshEmail = () => `taken${invited++}.${process.pid}@example.no`;

const person = { first_name: 'Nora', last_name: 'Berg', password: 'et langt passord her' };
const stranger = () => world.browser('none');
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

test('an old password link stops working once the person is in another workspace', async () => {
  const [home, other] = [await world.workspace(), await world.workspace()];
  const owner = await home.signIn();
  const email = freshEmail();
  const { member, path } = (await owner.post('/members/invite', { email })).body.data;
  await stranger().post(path, person);
  const kept = (await owner.post(`/members/${member.id}/reset`, {})).body.data.path;

  await (await other.signIn()).post('/members/invite', { email });
  const taken = await stranger().post(kept, { password: 'tyvens eget passord' });
  expect(statusAndCode(taken)).toEqual([410, 'link_used']);
  expect((await stranger().post('/sign-in', { email, password: person.password })).status).toBe(200);
});

// On Citus, writes to the tables of people wait for each other, so that the two requests cannot overlap.
test.skipIf(inject('postgres').isCitus)(
  'a link for a new password is over when another workspace was inviting the person while it was made',
  async () => {
    const [home, other] = [await world.workspace(), await world.workspace()];
    const [owner, elsewhere] = [await home.signIn(), await other.signIn()];
    const email = freshEmail();
    const { member, path } = (await owner.post('/members/invite', { email })).body.data;
    await stranger().post(path, person);
    const inviter = [other.id, other.owner.id];
    const locked = 'select from memberships where tenant_id = $1 and user_id = $2 for update';
    const held = await holdRow(world.databaseUrl, locked, inviter);
    const inviting = elsewhere.post('/members/invite', { email });
    await held.awaited();
    const kept = (await owner.post(`/members/${member.id}/reset`, {})).body.data.path;
    await held.commit();
    expect((await inviting).status).toBe(201);
    expect(statusAndCode(await stranger().get(kept))).toEqual([410, 'link_used']);
  },
);

test('a link for a new password is not made while another workspace takes the person in', async () => {
  const [home, other] = [await world.workspace(), await world.workspace()];
  const owner = await home.signIn();
  const email = freshEmail();
  const { member, path } = (await owner.post('/members/invite', { email })).body.data;
  await stranger().post(path, person);
  const added = "insert into memberships (tenant_id, user_id, role) values ($1, $2, 'member')";
  const held = await holdRow(world.databaseUrl, added, [other.id, member.id]);
  const resetting = owner.post(`/members/${member.id}/reset`, {});
  await held.awaited();
  await held.commit();
  expect(statusAndCode(await resetting)).toEqual([409, 'other_workspaces']);
});

test('a link for a new password is not made for somebody who is being removed', async () => {
  const workspace = await world.workspace();
  const owner = await workspace.signIn();
  await workspace.signIn(workspace.member);
  const { id } = workspace.member;
  const held = await holdRow(
    world.databaseUrl,
    'update memberships set removed_at = now() where tenant_id = $1 and user_id = $2',
    [workspace.id, id],
  );
  // The removal locks the person, too.
  await held.run(`select from users where id = '${id}' for update`);
  const resetting = owner.post(`/members/${id}/reset`, {});
  await held.awaited();
  await held.commit();
  expect(statusAndCode(await resetting)).toEqual([404, 'not_found']);
});

test('a link for a new password ends with the membership of the person it was made for', async () => {
  const workspace = await world.workspace();
  const owner = await workspace.signIn();
  const email = freshEmail();
  const { member, path } = (await owner.post('/members/invite', { email })).body.data;
  await stranger().post(path, person);
  const kept = (await owner.post(`/members/${member.id}/reset`, {})).body.data.path;
  expect((await owner.post(`/members/${member.id}/remove`, {})).status).toBe(200);
  expect(statusAndCode(await stranger().get(kept))).toEqual([410, 'link_used']);
});

test('an invitation that an admin has kept is over when the invited person is made an owner', async () => {
  const workspace = await world.workspace();
  const admin = await workspace.signIn(await workspace.addMember({ first_name: 'Anne' }, 'admin'));
  const owner = await workspace.signIn();
  const email = freshEmail();
  const { member, path } = (await admin.post('/members/invite', { email })).body.data;
  expect((await owner.patch(`/members/${member.id}`, { role: 'owner' })).status).toBe(200);
  expect(statusAndCode(await stranger().post(path, person))).toEqual([410, 'link_used']);
  const own = (await owner.post('/members/invite', { email })).body.data;
  expect((await stranger().post(own.path, person)).status).toBe(200);
});

test('of two invitations followed at once only one sets the password', async () => {
  const [first, second] = [await world.workspace(), await world.workspace()];
  const email = freshEmail();
  const own = (await (await first.signIn()).post('/members/invite', { email })).body.data;
  const planted = (await (await second.signIn()).post('/members/invite', { email })).body.data;
  // As the first link does: it locks the person while it sets the password.
  const held = await holdRow(
    world.databaseUrl,
    "update users set password_hash = 'set meanwhile' where id = $1",
    [own.member.id],
  );
  const followed = stranger().post(planted.path, { ...person, password: 'et passord til' });
  await held.awaited();
  await held.commit();
  expect(statusAndCode(await followed)).toEqual([403, 'sign_in_first']);
});

test('a link for a new password and an invitation of the same person take turns', async () => {
  const owner = await (await world.workspace()).signIn();
  const email = freshEmail();
  const { member, path } = (await owner.post('/members/invite', { email })).body.data;
  await stranger().post(path, person);
  const { id } = member;
  const held = await holdRow(world.databaseUrl, 'select from users where id = $1 for update', [id]);
  const resetting = owner.post(`/members/${id}/reset`, {});
  await held.awaited();
  const inviting = owner.post('/members/invite', { email });
  await expect.poll(() => countWaiters(world)).toBe(2);
  await held.commit();
  expect((await resetting).status).toBe(201);
  expect(statusAndCode(await inviting)).toEqual([409, 'already_member']);
});

test('an invitation that is followed while the role is changed ends', async () => {
  const owner = await (await world.workspace()).signIn();
  const { member, path } = (await owner.post('/members/invite', { email: freshEmail() })).body.data;
  const held = await holdRow(world.databaseUrl, 'select from memberships where user_id = $1 for update', [
    member.id,
  ]);
  const changing = owner.patch(`/members/${member.id}`, { role: 'admin' });
  await held.awaited();
  const following = stranger().post(path, person);
  await expect.poll(() => countWaiters(world)).toBe(2);
  await held.commit();
  expect((await changing).status).toBe(200);
  expect(statusAndCode(await following)).toEqual([410, 'link_used']);
});

test('somebody who was removed from their only workspace signs in to accept another invitation', async () => {
  const workspace = await world.workspace();
  const owner = await workspace.signIn();
  const email = freshEmail();
  const { member, path } = (await owner.post('/members/invite', { email })).body.data;
  await stranger().post(path, person);
  await owner.post(`/members/${member.id}/remove`, {});
  const { password } = person;
  const entering = await stranger().post('/sign-in', { email, password });
  expect(statusAndCode(entering)).toEqual([403, 'no_workspace']);
  const again = (await owner.post('/members/invite', { email })).body.data;
  const link = again.path.replace('/welcome/', '');
  const wrong = await stranger().post('/sign-in', { email, password: 'nei', link });
  expect(statusAndCode(wrong)).toEqual([401, 'sign_in_failed']);
  // The same link works again, too: the first answer may have been lost.
  for (let count = 0; count < 2; count++) {
    const entered = await stranger().post('/sign-in', { email, password, link });
    expect([entered.status, entered.body.data?.workspace.id]).toEqual([200, workspace.id]);
  }
  expect(statusAndCode(await stranger().get(again.path))).toEqual([410, 'link_used']);

  const other = (await owner.post('/members/invite', { email: freshEmail() })).body.data;
  const foreign = { email, password, link: other.path.replace('/welcome/', '') };
  expect(statusAndCode(await stranger().post('/sign-in', foreign))).toEqual([403, 'sign_in_first']);
  expect((await stranger().get(other.path)).status).toBe(200);

  await owner.post(`/members/${member.id}/remove`, {});
  const late = await stranger().post('/sign-in', { email, password, link });
  expect(statusAndCode(late)).toEqual([410, 'link_used']);
});

test.each([
  ['removed', (id: string) => [`/members/${id}/remove`, {}] as const],
  ['demoted', (id: string) => [`/members/${id}`, { role: 'member' }] as const],
])('links that an owner created stop working once that owner is %s', async (_, change) => {
  const workspace = await world.workspace();
  const owner = await workspace.signIn();
  const other = await workspace.addMember({}, 'owner');
  const leaving = await workspace.signIn(other);
  await workspace.signIn(workspace.member);
  const invite = async (by: typeof owner) =>
    (await by.post('/members/invite', { email: freshEmail(), role: 'owner' })).body.data.path;
  const reset = async (by: typeof owner) =>
    (await by.post(`/members/${workspace.member.id}/reset`, {})).body.data.path;
  const kept = [await invite(leaving), await reset(leaving)];
  const own = await invite(owner);
  const [path, body] = change(other.id);
  expect((await (path.endsWith('remove') ? owner.post(path, body) : owner.patch(path, body))).status).toBe(
    200,
  );
  for (const link of kept) {
    expect(statusAndCode(await stranger().post(link, person))).toEqual([410, 'link_used']);
  }
  expect((await stranger().post(own, person)).status).toBe(200);
});

test('an invitation under way while its sender is removed is not given out', async () => {
  const workspace = await world.workspace();
  const other = await workspace.addMember({}, 'owner');
  const leaving = await workspace.signIn(other);
  const held = await holdRow(
    world.databaseUrl,
    'update memberships set removed_at = now() where tenant_id = $1 and user_id = $2',
    [workspace.id, other.id],
  );
  const inviting = leaving.post('/members/invite', { email: freshEmail(), role: 'owner' });
  await held.awaited();
  await held.commit();
  expect((await inviting).status).toBe(403);
});

test('an invited person cannot take another address, nor learn whose it is', async () => {
  const workspace = await world.workspace();
  const owner = await workspace.signIn();
  for (const invitation of [freshEmail(), 'kari@localhost']) {
    const { path } = (await owner.post('/members/invite', { email: invitation })).body.data;
    for (const email of [workspace.owner.email, freshEmail()]) {
      const { status, body } = await stranger().post(path, { ...person, email });
      expect([status, body.details]).toEqual([
        400,
        [{ field: 'email', message: expect.stringContaining('of the invitation') }],
      ]);
    }
  }
});

test('the first owner, until they give an address, is invited by their own workspace alone', async () => {
  const [home, other] = [await world.workspace(), await world.workspace()];
  await world.query("update users set email = 'owner@localhost' where id = $1", [home.owner.id]);
  const colleague = await home.signIn(await home.addMember({}, 'owner'));
  const own = await colleague.post('/members/invite', { email: 'owner@localhost' });
  expect([own.status, own.body.data.member.id]).toEqual([201, home.owner.id]);

  const inviting = await other.signIn();
  for (const email of ['owner@localhost', 'Owner@LOCALHOST']) {
    const { status, body } = await inviting.post('/members/invite', { email });
    expect([status, body.code, body.details]).toEqual([
      400,
      'invalid_request',
      [{ field: 'email', message: expect.stringContaining('first owner') }],
    ]);
  }
  const { status, body } = await stranger().get(own.body.data.path);
  expect([status, body.data.needs_sign_in]).toEqual([200, false]);
  const members = 'select from memberships where user_id = $1';
  expect(await world.query(members, [home.owner.id])).toHaveLength(1);
});

test('the first owner who has entered without giving an address is invited by others as anybody is', async () => {
  const [home, other] = [await world.workspace(), await world.workspace()];
  await world.query("update users set email = id || '@example.no' where email = 'owner@localhost'");
  await world.query("update users set email = 'owner@localhost' where id = $1", [home.owner.id]);
  await world.query(
    "insert into identities (issuer, subject, user_id) values ('https://id.example.no', 'x', $1)",
    [home.owner.id],
  );
  const { status, body } = await (await other.signIn()).post('/members/invite', { email: 'owner@localhost' });
  expect([status, body.data?.member.id]).toEqual([201, home.owner.id]);
  expect((await stranger().get(body.data.path)).body.data.needs_sign_in).toBe(true);
});
