import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { kundebokHere } from '../../test/service.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import type { Role } from '../members/roles.ts';

const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-members-'));
afterAll(() => rm(folder, { recursive: true }));

const PASSWORD = 'et langt passord her';

let invited = 0;
const freshEmail = () => `invited${invited++}.${process.pid}@example.no`;

const person = { first_name: 'Nora', last_name: 'Berg', password: PASSWORD };

/** A browser for each role. */
async function team(workspace: Workspace) {
  const admin = await workspace.addMember({ first_name: 'Anne' }, 'admin');
  return {
    admin,
    asOwner: await workspace.signIn(),
    asAdmin: await workspace.signIn(admin),
    asMember: await workspace.signIn(workspace.member),
  };
}

const follow = (path: string, body: object, browser = world.browser('none')) => browser.post(path, body);

/** The status that a sign-in with this password gets. */
const signsIn = async (email: string, password: string) =>
  (await world.browser('none').post('/sign-in', { email, password })).status;

test('an invited person is listed as such, enters by the link and has joined', async () => {
  const workspace = await world.workspace();
  const { asAdmin } = await team(workspace);
  const email = freshEmail();
  const sent = await asAdmin.post('/members/invite', { email });
  expect(sent.status).toBe(201);
  const { member, path } = sent.body.data;
  expect(path).toMatch(/^\/welcome\/[\w-]{32}$/);
  expect(member).toMatchObject({
    email,
    role: 'member',
    joined_at: null,
    invitation_expires_at: expect.any(String),
    may: { change_role: false, remove: true, invite: true, reset: false },
  });
  expect((await follow(path, person)).status).toBe(200);
  const listed = (await asAdmin.get('/members')).body.data.find(({ id }: { id: string }) => id === member.id);
  expect(listed).toMatchObject({
    first_name: 'Nora',
    joined_at: expect.any(String),
    invitation_expires_at: null,
    may: { invite: false },
  });
  const again = await asAdmin.post('/members/invite', { email });
  expect([again.status, again.body.code]).toEqual([409, 'already_member']);
});

test('members are listed with roles page by page; only admins see when each was last active', async () => {
  const workspace = await world.workspace();
  const { admin, asAdmin, asMember } = await team(workspace);
  const roles: Record<string, Role> = {
    [workspace.owner.id]: 'owner',
    [admin.id]: 'admin',
    [workspace.member.id]: 'member',
  };
  const seen: { id: string; role: Role; last_used_at: string | null }[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await asAdmin.get(`/members?limit=2&cursor=${cursor}`);
    seen.push(...body.data);
    cursor = body.page.next_cursor;
  }
  expect(Object.fromEntries(seen.map(({ id, role }) => [id, role]))).toEqual(roles);
  await world.query('update memberships set last_used_at = null where user_id = $1', [workspace.member.id]);
  const shownToMember = (await asMember.get('/members')).body.data;
  expect(shownToMember).toHaveLength(3);
  for (const { last_used_at, may } of shownToMember) {
    expect([last_used_at, ...Object.values(may)]).toEqual([null, false, false, false, false]);
  }
  // The use is recorded without the answer waiting for it.
  const shownToAdmin = async () => (await asAdmin.get('/members')).body.data as typeof seen;
  const usedLast = async () =>
    (await shownToAdmin()).find(({ id }) => id === workspace.member.id)!.last_used_at;
  await expect.poll(usedLast).toEqual(expect.any(String));
});

test('members invite nobody, admins members, owners anybody', async () => {
  const { asOwner, asAdmin, asMember } = await team(await world.workspace());
  const invite = async (browser: typeof asOwner, role: Role) =>
    (await browser.post('/members/invite', { email: freshEmail(), role })).status;
  expect(
    await Promise.all((['member', 'admin', 'owner'] as const).map((role) => invite(asMember, role))),
  ).toEqual([403, 403, 403]);
  expect(
    await Promise.all((['member', 'admin', 'owner'] as const).map((role) => invite(asAdmin, role))),
  ).toEqual([201, 403, 403]);
  expect(
    await Promise.all((['member', 'admin', 'owner'] as const).map((role) => invite(asOwner, role))),
  ).toEqual([201, 201, 201]);
});

test('an admin gets no link of an owner who has not joined yet', async () => {
  const workspace = await world.workspace();
  const { asOwner, asAdmin } = await team(workspace);
  const email = freshEmail();
  await asOwner.post('/members/invite', { email, role: 'owner' });
  const links = 'select count(*)::int from welcome_links';
  const before = await world.query(links);
  const sent = await asAdmin.post('/members/invite', { email });
  expect([sent.status, sent.body.code]).toEqual([403, 'forbidden']);
  expect(await world.query(links)).toEqual(before);
});

test('a person who invites somebody with an account elsewhere cannot set the password of that account', async () => {
  const [home, other] = [await world.workspace(), await world.workspace()];
  const email = freshEmail();
  const invitation = (await (await home.signIn()).post('/members/invite', { email })).body.data;
  await follow(invitation.path, person);
  expect(await signsIn(email, PASSWORD)).toBe(200);

  const attacker = await other.signIn();
  const planted = (await attacker.post('/members/invite', { email })).body.data;
  const shown = await world.browser('none').get(planted.path);
  expect(shown.body.data).toMatchObject({ kind: 'invitation', needs_sign_in: true });
  for (const browser of [world.browser('none'), attacker]) {
    const followed = await follow(planted.path, { ...person, password: 'et passord til' }, browser);
    expect([followed.status, followed.body.code]).toEqual([403, 'sign_in_first']);
  }
  expect(await signsIn(email, 'et passord til')).toBe(401);
  expect(await signsIn(email, PASSWORD)).toBe(200);
  const reset = await attacker.post(`/members/${planted.member.id}/reset`, {});
  expect([reset.status, reset.body.code]).toEqual([403, 'forbidden']);

  // The attacker cannot either once the person has joined, and has left the workspace they came from.
  await world.query('update memberships set joined_at = now() where user_id = $1', [planted.member.id]);
  await home.removeMember(planted.member);
  const later = await attacker.post(`/members/${planted.member.id}/reset`, {});
  expect([later.status, later.body.code]).toEqual([409, 'other_workspaces']);
  expect(later.body.error).toContain('kundebok user reset');
});

test('an owner makes a link for a new password for a member who is in no other workspace', async () => {
  const workspace = await world.workspace();
  const { asOwner, asAdmin, admin } = await team(workspace);
  const email = freshEmail();
  const { member, path } = (await asAdmin.post('/members/invite', { email })).body.data;
  await follow(path, person);
  expect((await asAdmin.post(`/members/${member.id}/reset`, {})).status).toBe(403);
  const reset = await asOwner.post(`/members/${member.id}/reset`, {});
  expect(reset.status).toBe(201);
  expect((await follow(reset.body.data.path, { password: 'et helt nytt passord' })).status).toBe(200);
  expect(await signsIn(email, PASSWORD)).toBe(401);
  expect(await signsIn(email, 'et helt nytt passord')).toBe(200);
  expect((await asOwner.post(`/members/${workspace.owner.id}/reset`, {})).status).toBe(403);
  expect((await asOwner.post(`/members/${admin.id}/reset`, {})).status).toBe(201);
});

test('owners change roles, which hold from the next request on', async () => {
  const workspace = await world.workspace();
  const { asOwner, asAdmin, asMember, admin } = await team(workspace);
  const change = (browser: typeof asOwner, id: string, role: string) =>
    browser.patch(`/members/${id}`, { role });
  expect((await change(asAdmin, workspace.member.id, 'admin')).status).toBe(403);
  expect((await change(asMember, workspace.member.id, 'owner')).status).toBe(403);
  const promoted = await change(asOwner, workspace.member.id, 'owner');
  expect([promoted.status, promoted.body.data.role]).toEqual([200, 'owner']);
  expect((await change(asMember, admin.id, 'member')).status).toBe(200);
  expect((await asAdmin.post('/members/invite', { email: freshEmail() })).status).toBe(403);
  expect((await change(asOwner, workspace.member.id, 'boss')).status).toBe(400);
});

test('giving somebody the role that they have ends no link', async () => {
  const { asOwner, asAdmin, admin } = await team(await world.workspace());
  const given = (await asAdmin.post('/members/invite', { email: freshEmail() })).body.data;
  for (const [id, role] of [
    [admin.id, 'admin'],
    [given.member.id, 'member'],
  ]) {
    expect((await asOwner.patch(`/members/${id}`, { role })).body.data.role).toBe(role);
    expect((await world.browser('none').get(given.path)).status).toBe(200);
  }
});

test('the last owner stays one, also when two step down at once', async () => {
  const workspace = await world.workspace();
  const asOwner = await workspace.signIn();
  const alone = await asOwner.patch(`/members/${workspace.owner.id}`, { role: 'member' });
  expect([alone.status, alone.body.code]).toEqual([409, 'last_owner']);
  for (let round = 0; round < 5; round++) {
    await world.query("update memberships set role = 'owner' where tenant_id = $1", [workspace.id]);
    const asOther = await workspace.signIn(workspace.member);
    const statuses = await Promise.all([
      asOwner.patch(`/members/${workspace.owner.id}`, { role: 'admin' }),
      asOther.patch(`/members/${workspace.member.id}`, { role: 'admin' }),
    ]);
    expect(statuses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
  }
});

test('members of another workspace are not found', async () => {
  const [workspace, elsewhere] = [await world.workspace(), await world.workspace()];
  const browser = await workspace.signIn();
  const path = `/members/${elsewhere.member.id}`;
  expect((await browser.patch(path, { role: 'member' })).status).toBe(404);
  expect((await browser.post(`${path}/reset`, {})).status).toBe(404);
  expect((await browser.get(`${path}/leaving`)).status).toBe(404);
  expect((await browser.post(`${path}/remove`, {})).status).toBe(404);
});

test('somebody who comes back accepts the new invitation; the old link is over', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const email = freshEmail();
  const first = (await browser.post('/members/invite', { email })).body.data;
  const second = (await browser.post('/members/invite', { email })).body.data;
  await follow(first.path, person);
  await browser.post(`/members/${first.member.id}/remove`, {});
  const back = (await browser.post('/members/invite', { email })).body.data;
  expect(back.member).toMatchObject({ id: first.member.id, joined_at: null });
  expect((await world.browser('none').get(second.path)).body.code).toBe('link_used');
  expect(await signsIn(email, PASSWORD)).toBe(403);
});

test('inviting somebody whom the service knows shows nothing of them until they accept', async () => {
  const [home, other] = [await world.workspace(), await world.workspace()];
  const email = `Nora.${freshEmail()}`;
  const first = (await (await home.signIn()).post('/members/invite', { email })).body.data;
  await follow(first.path, person);

  const browser = await other.signIn();
  const invite = async (address: string) =>
    (await browser.post('/members/invite', { email: address, last_name: 'X' })).body.data;
  const [known, unknown] = [await invite(email.toUpperCase()), await invite(freshEmail().toUpperCase())];
  const shape = (sent: typeof known) => ({
    ...sent.member,
    id: '',
    email: sent.member.email === sent.member.email.toUpperCase(),
    first_name: sent.member.first_name === sent.member.email.split('@')[0],
    added_at: '',
    invitation_expires_at: '',
  });
  expect(shape(known)).toEqual(shape(unknown));
  expect(shape(known)).toMatchObject({ email: true, first_name: true, last_name: 'X' });

  const { id } = known.member;
  const { client } = await other.key(255);
  const offer = await other.offer({ user_id: id });
  const file = join(folder, 'other.jsonl');
  await kundebokHere(['export', file, '--workspace', other.id], { DATABASE_URL: world.databaseUrl });
  const shown = [
    await readFile(file, 'utf8'),
    known,
    await browser.get('/members'),
    await browser.get(`/offers/${offer.id}/card`),
    await browser.get('/offers/sums'),
    await browser.get('/offers.csv'),
    await client.get('/users'),
    await client.get('/users?cursor='),
    await client.get(`/users?email=${email.toLowerCase()}`),
    await world.browser('none').get(known.path),
  ].map((answer) => JSON.stringify(answer.text ?? answer));
  for (const text of shown) expect(text).not.toMatch(/Berg|Nora[^.]/);

  const { token } = /=(?<token>[\w-]+)/.exec(
    (await world.browser('none').post('/sign-in', { email, password: PASSWORD })).headers['set-cookie']![0]!,
  )!.groups!;
  expect((await follow(known.path, {}, world.browser(token))).status).toBe(200);
  expect((await client.get(`/users?email=${email.toLowerCase()}`)).body.data).toMatchObject([
    { id, email, first_name: 'Nora', last_name: 'Berg' },
  ]);
});

test('an owner who has not joined yet does not count as another owner', async () => {
  const workspace = await world.workspace();
  const asOwner = await workspace.signIn();
  const email = freshEmail();
  const { path } = (await asOwner.post('/members/invite', { email, role: 'owner' })).body.data;
  const self = `/members/${workspace.owner.id}`;
  const leave = [() => asOwner.patch(self, { role: 'member' }), () => asOwner.post(`${self}/remove`, {})];
  const shown = async (address: string) => {
    const { data } = (await asOwner.get('/members')).body as { data: { email: string }[] };
    return data.find((one) => one.email === address);
  };
  const last = { is_last_owner: true, may: { change_role: false, remove: false } };
  const replaceable = { is_last_owner: false, may: { change_role: true, remove: true } };
  expect(await shown(workspace.owner.email)).toMatchObject(last);
  expect(await shown(workspace.member.email)).toMatchObject(replaceable);
  expect(await shown(email)).toMatchObject(replaceable);
  for (const refused of await Promise.all(leave.map((one) => one()))) {
    expect([refused.status, refused.body.code]).toEqual([409, 'last_owner']);
  }
  await follow(path, person);
  expect(await shown(workspace.owner.email)).toMatchObject(replaceable);
  expect((await leave[0]!()).status).toBe(200);
});
