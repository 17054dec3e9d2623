import { afterAll, expect, onTestFinished, test } from 'vitest';
import { countWaiters, cutWaiters, holdRow, holdTable } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { createLink } from '../members/links.ts';
import { hashPassword } from './password.ts';

const world = await createWorld({ keepLogs: true });
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
afterAll(() => db.close());

const password = 'riktig hest';

/** Makes somebody a member of another workspace, too. */
function join(userId: string, workspaceId: string) {
  return world.query(
    "insert into memberships (tenant_id, user_id, role, joined_at) values ($1, $2, 'member', now())",
    [workspaceId, userId],
  );
}

/** A member who signs in with the password. */
async function personWithPassword() {
  const workspace = await world.workspace();
  const person = await workspace.addMember();
  const { id } = person;
  const { path } = await createLink(db, { kind: 'invitation', user_id: id, workspace: workspace.id });
  const entered = await world.browser().post(path, { first_name: 'Åse', last_name: 'Berg', password });
  expect(entered.status).toBe(200);
  return { ...person, workspace };
}

/** A person with a password and a session, and the path of an invitation to another workspace. */
async function invitedPerson() {
  const { id, workspace, ...person } = await personWithPassword();
  const other = await world.workspace();
  await world.query("insert into memberships (tenant_id, user_id, role) values ($1, $2, 'member')", [
    other.id,
    id,
  ]);
  const { path } = await createLink(db, { kind: 'invitation', user_id: id, workspace: other.id });
  return { id, path, browser: await workspace.signIn({ id, ...person }) };
}

const lockPerson = 'select from users where id = $1 for update';
const sessionsOf = (id: string) => world.query('select from sessions where user_id = $1', [id]);

test('an invitation that is accepted with a session that a reset is ending is not used, and lets nobody in', async () => {
  const { id, path, browser } = await invitedPerson();
  const held = await holdRow(world.databaseUrl, lockPerson, [id]);
  const accepting = browser.post(path, {});
  await held.awaited();
  await held.run(`delete from sessions where user_id = '${id}'`);
  await held.commit();
  const { status, body } = await accepting;
  expect([status, body.code, await sessionsOf(id)]).toEqual([401, 'sign_in_failed', []]);
  expect(world.logs).toContainEqual(
    expect.objectContaining({ reason: 'proof ended meanwhile', user_id: id }),
  );
  expect((await world.browser().get(path)).status).toBe(200);
  const joined = 'select from memberships where user_id = $1 and joined_at is not null';
  expect(await world.query(joined, [id])).toHaveLength(1);
});

test('nobody gets in by an invitation when a reset comes between accepting it and entering', async () => {
  const { id, path, browser } = await invitedPerson();
  const held = await holdRow(world.databaseUrl, lockPerson, [id]);
  const accepting = browser.post(path, {});
  await held.awaited();
  const next = holdRow(world.databaseUrl, lockPerson, [id]);
  await expect.poll(() => countWaiters(world)).toBe(2);
  await held.commit();
  const reset = await next;
  await reset.run(`delete from sessions where user_id = '${id}'`);
  await reset.commit();
  await accepting;
  expect(await sessionsOf(id)).toEqual([]);
});

test('a session that ends while its person sets a first password sets none', async () => {
  const workspace = await world.workspace();
  const { id } = workspace.owner;
  const [stolen, own] = [await workspace.signIn(), await workspace.signIn()];
  const held = await holdRow(world.databaseUrl, 'select from users where id = $1 for update', [id]);
  const setting = stolen.post('/profile/password', { new_password: 'tyvens eget passord' });
  await held.awaited();
  expect((await own.post('/sessions/end-others', {})).status).toBe(204);
  await held.commit();
  expect((await setting).status).toBe(401);
  expect(await world.query('select password_hash from users where id = $1', [id])).toEqual([
    { password_hash: null },
  ]);
  expect((await own.get('/session')).status).toBe(200);
});

test('somebody who is removed while the page asks who they are is signed out', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  const held = await holdTable(world.databaseUrl, 'workspaces');
  const asking = browser.get('/session');
  await held.awaited();
  await workspace.removeMember(workspace.member);
  await held.commit();
  expect((await asking).status).toBe(401);
});

test('a request for the workspace that a page shows is not carried out in another one', async () => {
  const [shown, other] = [await world.workspace(), await world.workspace()];
  const person = shown.member;
  await join(person.id, other.id);
  const browser = await shown.signIn(person);
  const add = (workspace: string) =>
    browser.send({
      method: 'POST',
      path: '/contacts',
      headers: { 'content-type': 'application/json', 'kundebok-workspace': workspace },
      body: '{"name":"Kari"}',
    });
  expect((await add(shown.id)).status).toBe(201);
  await shown.removeMember(person);
  const refused = await add(shown.id);
  expect([refused.status, refused.body.code]).toEqual([409, 'workspace_changed']);
  expect((await browser.get('/session')).body.data.workspace.id).toBe(other.id);
  expect((await add(other.id)).status).toBe(201);
});

test.each(['/companies.csv', '/history/export'])(
  'a file of the workspace that a page shows is not one of another workspace: %s',
  async (path) => {
    const [shown, other] = [await world.workspace(), await world.workspace()];
    const person = shown.member;
    await join(person.id, other.id);
    await other.company();
    const browser = await shown.signIn(person);
    const download = (workspace: string) => browser.get(`${path}?workspace=${workspace}`);
    expect((await download(shown.id)).status).toBe(200);
    await shown.removeMember(person);
    const refused = await download(shown.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'workspace_changed']);
    expect((await download(other.id)).text.trim().split('\n')).toHaveLength(2);
  },
);

test('a wait for changes ends with the membership, though the person has another one', async () => {
  const [shown, other] = [await world.workspace(), await world.workspace()];
  const person = shown.member;
  await join(person.id, other.id);
  const browser = await shown.signIn(person);
  const { next_cursor } = (await browser.get('/changes?cursor=now')).body.page;
  // Ten may wait at once: when an eleventh is refused, the other ten are waiting.
  const statuses = Array.from({ length: 11 }, async () => {
    const { status } = await browser.get(`/changes?cursor=${next_cursor}&wait=30`);
    return status;
  });
  await Promise.any(statuses.map(async (asked) => expect(await asked).toBe(429)));
  await shown.removeMember(person);
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([429, 401]));
});

test('attempts whose password nobody had time to check do not count', async () => {
  const { email } = await personWithPassword();
  const signIn = async () => (await world.browser().post('/sign-in', { email, password })).status;

  const over = new AbortController();
  onTestFinished(() => over.abort());
  const hashForEver = async () => {
    while (!over.signal.aborted) await hashPassword(password);
  };
  const others = Array.from({ length: 32 }, hashForEver);
  const statuses: number[] = [];
  for (let count = 0; count < 6; count++) statuses.push(await signIn());
  over.abort();
  await Promise.all(others);
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(await signIn()).toBe(200);
});

test('a sign-in during which the database fails is not logged as refused', async () => {
  const refusals = () => world.logs.filter(({ msg }) => msg === 'sign-in refused');
  const before = refusals();
  const held = await holdTable(world.databaseUrl, 'sign_in_attempts');
  const entering = world.browser().post('/sign-in', { email: 'kari@example.no', password });
  await held.awaited();
  await cutWaiters(world);
  await held.commit();
  expect((await entering).status).toBe(503);
  expect(refusals()).toEqual(before);
});

test('attempts whose account nobody could read do not count', async () => {
  const { email } = await personWithPassword();
  for (let count = 0; count < 6; count++) {
    const held = await holdTable(world.databaseUrl, 'users');
    const entering = world.browser().post('/sign-in', { email, password });
    await held.awaited();
    // A read is repeated where its connection breaks, not where it is cancelled.
    await world.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect((await entering).status).toBe(503);
    await held.commit();
  }
  expect((await world.browser().post('/sign-in', { email, password })).status).toBe(200);
});

test('a sign-in that fails keeps the session that the browser had', async () => {
  const { id, email, workspace } = await personWithPassword();
  const browser = await workspace.signIn();
  const held = await holdRow(world.databaseUrl, "update users set password_hash = 'x' where id = $1", [id]);
  const entering = browser.post('/sign-in', { email, password });
  await held.awaited();
  await held.commit();
  expect((await entering).status).toBe(401);
  expect((await browser.get('/session')).status).toBe(200);
});
