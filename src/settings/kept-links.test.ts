import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { kundebokHere } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-kept-links-'));
afterAll(() => rm(folder, { recursive: true }));

let invited = 0;
const freshEmail = () => `kept${invited++}.${process.pid}@example.no`;

const person = { first_name: 'Nora', last_name: 'Berg', password: 'et langt passord her' };
const stranger = () => world.browser('none');
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

test('a link for a new password that was kept opens nothing once a file with the person is imported', async () => {
  const home = await world.workspace();
  const owner = await home.signIn();
  const { member, path } = (await owner.post('/members/invite', { email: freshEmail() })).body.data;
  await stranger().post(path, person);
  const file = join(folder, 'home.jsonl');
  const run = (...args: string[]) => kundebokHere(args, { DATABASE_URL: world.databaseUrl });
  await run('export', file, '--workspace', home.id);
  // The file is made one of another workspace; its members are older than the link.
  await writeFile(file, (await readFile(file, 'utf8')).replace(home.id, randomUUID()));
  const kept = (await owner.post(`/members/${member.id}/reset`, {})).body.data.path;
  expect((await stranger().get(kept)).status).toBe(200);
  expect(await run('import', file)).toMatchObject({ code: 0 });
  expect(statusAndCode(await stranger().get(kept))).toEqual([410, 'link_used']);
});

test('a link for a new password that was kept opens nothing once the person joins a workspace of which they were already a member', async () => {
  const [home, other] = [await world.workspace(), await world.workspace()];
  const [owner, elsewhere] = [await home.signIn(), await other.signIn()];
  const email = freshEmail();
  const { member, path } = (await owner.post('/members/invite', { email })).body.data;
  await stranger().post(path, person);
  const kept = (await owner.post(`/members/${member.id}/reset`, {})).body.data.path;
  // An import by an earlier release could leave such a membership.
  const added = `insert into memberships (tenant_id, user_id, role, created_at) values ($1, $2, 'member', '2026-01-01')`;
  await world.query(added, [other.id, member.id]);
  expect((await stranger().get(kept)).status).toBe(200);
  const invitation = (await elsewhere.post('/members/invite', { email })).body.data.path;
  const link = invitation.replace('/welcome/', '');
  expect((await stranger().post('/sign-in', { email, password: person.password, link })).status).toBe(200);
  expect(statusAndCode(await stranger().get(kept))).toEqual([410, 'link_used']);
});

test('a link for a new password that was kept opens nothing once the person has changed their password', async () => {
  const workspace = await world.workspace();
  const owner = await workspace.signIn();
  const own = await workspace.signIn(workspace.member);
  const kept = (await owner.post(`/members/${workspace.member.id}/reset`, {})).body.data.path;
  expect((await own.post('/profile/password', { new_password: person.password })).status).toBe(204);
  expect(statusAndCode(await stranger().get(kept))).toEqual([410, 'link_used']);
});

// On Citus, writes to the tables of people wait for each other, so that the two requests cannot overlap.
test.skipIf(inject('postgres').isCitus)(
  'a link for a new password is over when the person was creating a workspace while it was made',
  async () => {
    const home = await world.workspace();
    const owner = await home.signIn();
    const other = await home.addMember({}, 'owner');
    const creator = await home.signIn(other);
    const id = randomUUID();
    const held = await holdRow(world.databaseUrl, `insert into workspaces (id, name) values ($1, 'x')`, [id]);
    const creating = creator.post('/workspaces', { id, name: 'Datter AS' });
    await held.awaited();
    const kept = (await owner.post(`/members/${other.id}/reset`, {})).body.data.path;
    await held.run('rollback');
    await held.commit();
    expect((await creating).status).toBe(201);
    expect(statusAndCode(await stranger().get(kept))).toEqual([410, 'link_used']);
  },
);

test('two workspaces that a person creates at once are both created', async () => {
  const home = await world.workspace();
  const creator = await home.signIn();
  const held = await holdRow(world.databaseUrl, 'select from users where id = $1 for update', [
    home.owner.id,
  ]);
  const creating = ['Datter AS', 'Sønn AS'].map((name) => creator.post('/workspaces', { name }));
  await expect.poll(() => countWaiters(world)).toBe(2);
  await held.commit();
  expect((await Promise.all(creating)).map(({ status }) => status)).toEqual([201, 201]);
});
