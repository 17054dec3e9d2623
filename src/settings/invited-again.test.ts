import { expect, test } from 'vitest';
import { holdRow } from '../../test/locks.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

let invited = 0;
const freshEmail = () => `again${invited++}.${process.pid}@example.no`;

const person = { first_name: 'Nora', last_name: 'Berg', password: 'et langt passord her' };
const { password } = person;

async function invite(workspace: Workspace, email: string) {
  const { member, path } = (await (await workspace.signIn()).post('/members/invite', { email })).body.data;
  return { id: member.id as string, path: path as string };
}

/** Somebody who has joined a workspace by an invitation. */
async function member(workspace: Workspace) {
  const email = freshEmail();
  const { id, path } = await invite(workspace, email);
  expect((await world.browser('none').post(path, person)).status).toBe(200);
  return { id, email };
}

/** Signs the person with this address in, in a new browser. */
async function signIn(email: string, path?: string) {
  const link = path?.replace('/welcome/', '');
  const entered = await world.browser('none').post('/sign-in', { email, password, link });
  expect(entered.status).toBe(200);
  return world.browser(/=([\w-]+)/.exec(entered.headers['set-cookie']![0]!)![1]);
}

const remove = async (workspace: Workspace, id: string) =>
  (await workspace.signIn()).post(`/members/${id}/remove`, {});

test.each(['the same', 'another'])(
  'sessions from before a removal open nothing when the person joins %s workspace',
  async (which) => {
    const [workspace, other] = [await world.workspace(), await world.workspace()];
    const { id, email } = await member(workspace);
    const old = [await signIn(email), await signIn(email)];
    expect((await remove(workspace, id)).status).toBe(200);
    const { path } = await invite(which === 'another' ? other : workspace, email);
    const entered = await signIn(email, path);
    expect((await entered.get('/session')).status).toBe(200);
    for (const browser of old) expect((await browser.get('/session')).status).toBe(401);
  },
);

test('sessions that remain in another workspace end once the person accepts a new invitation to the first', async () => {
  const [workspace, other] = [await world.workspace(), await world.workspace()];
  const { id, email } = await member(workspace);
  await signIn(email, (await invite(other, email)).path);
  const [here, there] = [await signIn(email), await signIn(email)];
  const shownThere = async () => (await there.get('/session')).body.data?.workspace.id;
  expect(await shownThere()).toBe(workspace.id);
  await remove(workspace, id);
  expect(await shownThere()).toBe(other.id);
  const { path } = await invite(workspace, email);
  expect(await shownThere()).toBe(other.id);
  const accepted = await here.post(path, {});
  expect([accepted.status, accepted.body.data.workspace.id]).toEqual([200, workspace.id]);
  expect((await there.get('/session')).status).toBe(401);
});

test('a second link of somebody who has joined does not have them join again', async () => {
  const [workspace, other] = [await world.workspace(), await world.workspace()];
  const { id, email } = await member(workspace);
  await signIn(email, (await invite(other, email)).path);
  await remove(workspace, id);
  const links = [await invite(workspace, email), await invite(workspace, email)];
  const here = await signIn(email, links[0]!.path);
  const joined = () =>
    world.query('select joined_at from memberships where tenant_id = $1 and user_id = $2', [
      workspace.id,
      id,
    ]);
  await world.query("update memberships set joined_at = '2026-01-02' where user_id = $1", [id]);
  const before = await joined();
  const elsewhere = await signIn(email);
  expect((await here.post(links[1]!.path, {})).status).toBe(200);
  expect(await joined()).toEqual(before);
  expect((await elsewhere.get('/session')).status).toBe(200);
});

test('a session that begins while its person is removed ends with the others', async () => {
  const workspace = await world.workspace();
  const { id } = await member(workspace);
  const held = await holdRow(world.databaseUrl, 'select from users where id = $1 for update', [id]);
  const removing = remove(workspace, id);
  await held.awaited();
  await held.run(`insert into sessions (id, digest, user_id, user_agent, network, expires_at)
    values ('${id}', '', '${id}', 'test', 'test', now() + interval '1 day')`);
  await held.commit();
  expect((await removing).status).toBe(200);
  expect(await world.query('select from sessions where user_id = $1', [id])).toEqual([]);
});
