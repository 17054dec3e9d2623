import { expect, test } from 'vitest';
import { endWithFile, kundebokHere, kundebokJson } from '../../test/service.ts';
import { answerWithinSecond } from '../../test/until.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();
endWithFile();

const settings = { DATABASE_URL: world.databaseUrl };

let invited = 0;
const freshEmail = () => `called${invited++}.${process.pid}@example.no`;

const inviting = (workspace: { id: string }, email: string, role?: string) => {
  const args = ['user', 'invite', '--workspace', workspace.id, '--email', email];
  return role === undefined ? args : [...args, '--role', role];
};

/** What `user invite` prints. */
const invite = (...args: Parameters<typeof inviting>) =>
  kundebokJson(inviting(...args), settings, kundebokHere);

const roleOf = async ({ id }: { id: string }, user: string) => {
  const [row] = await world.query('select role from memberships where tenant_id = $1 and user_id = $2', [
    id,
    user,
  ]);
  return row.role;
};

test('an invitation on the command line gives a member the role that it names, or leaves theirs', async () => {
  const workspace = await world.workspace();
  const email = freshEmail();
  const names = ['--first-name', 'Kari', '--last-name', 'Nordmann'];
  const added = ['user', 'add', '--workspace', workspace.id, '--email', email, ...names];
  const { user_id } = await kundebokJson(added, settings, kundebokHere);
  for (const [role, expected] of [
    [undefined, 'member'],
    ['owner', 'owner'],
    [undefined, 'owner'],
    ['admin', 'admin'],
  ] as const) {
    expect(await invite(workspace, email.toUpperCase(), role)).toMatchObject({ user_id, role: expected });
    expect(await roleOf(workspace, user_id)).toBe(expected);
  }
});

test('a role given on the command line ends links and applies to keys, like one given in the application', async () => {
  const workspace = await world.workspace();
  const admin = await workspace.addMember({}, 'admin');
  const { client } = await workspace.key(255, { user: admin });
  const path = `/contacts/${(await workspace.contact()).id}`;
  const erase = async () => (await client.delete(path)).status;
  const asAdmin = await workspace.signIn(admin);
  const { email, path: own } = await asAdmin
    .post('/members/invite', { email: freshEmail() })
    .then(({ body }) => ({ ...body.data.member, ...body.data }));
  const status = async (link: string) => (await world.browser('none').get(link)).status;

  const { link } = await invite(workspace, email, 'admin');
  expect([await status(own), await status(new URL(link).pathname)]).toEqual([410, 200]);

  const other = (await asAdmin.post('/members/invite', { email: freshEmail() })).body.data.path;
  expect((await client.get(path)).status).toBe(200);
  await invite(workspace, admin.email, 'member');
  expect(await status(other)).toBe(410);
  expect(await answerWithinSecond(erase, 403)).toBe(403);
});

test('the command line cannot take the role from the last owner either, and makes no link', async () => {
  const workspace = await world.workspace();
  const { id, email } = workspace.owner;
  const refused = await kundebokHere(inviting(workspace, email, 'member'), settings);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('last owner') });
  expect(await roleOf(workspace, id)).toBe('owner');
  expect(await world.query('select from welcome_links where user_id = $1', [id])).toEqual([]);
});
