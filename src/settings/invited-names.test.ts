import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { kundebokHere, kundebokJson } from '../../test/service.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { COLLEAGUES } from '../demo/texts.ts';

const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-names-'));
afterAll(() => rm(folder, { recursive: true }));

const settings = { DATABASE_URL: world.databaseUrl };

/** What a command that must succeed prints. */
const run = (...args: string[]) => kundebokJson(args, settings, kundebokHere);

let invited = 0;
const freshEmail = () => `named${invited++}.${process.pid}@example.no`;

const NAMES = { first_name: 'Nora', last_name: 'Berg' };
const password = 'et langt passord her';

/** The path of an invitation. */
async function invite(workspace: Workspace, person: { email: string }): Promise<string> {
  return (await (await workspace.signIn()).post('/members/invite', person)).body.data.path;
}

/** Creates an account by the invitation of yet another workspace. */
async function register(email: string, names: { first_name: string; last_name: string }): Promise<void> {
  const path = await invite(await world.workspace(), { email });
  expect((await world.browser('none').post(path, { ...names, password })).status).toBe(200);
}

const accept = (email: string, path: string) =>
  world.browser('none').post('/sign-in', { email, password, link: path.replace('/welcome/', '') });

const shownIn = async ({ client }: Pick<Workspace, 'client'>, email: string) =>
  (await client.get(`/users?email=${email}`)).body.data;

/** Exports a workspace and imports it as another, with a key. @param change applied to the text of the file */
async function imported(
  { id, owner }: Workspace,
  change = (text: string) => text,
): Promise<Pick<Workspace, 'id' | 'client'>> {
  const [file, copy] = [join(folder, `${id}.jsonl`), randomUUID()];
  await kundebokHere(['export', file, '--workspace', id], settings);
  await writeFile(file, change(await readFile(file, 'utf8')).replace(id, copy));
  await run('import', file);
  const key = ['--workspace', copy, '--user', owner.id, '--permissions', 'all'];
  return { id: copy, client: world.client((await run('key', 'create', ...key)).key) };
}

test('a person is shown as the invitation says until they accept it, whatever their account says', async () => {
  const workspace = await world.workspace();
  const email = freshEmail();
  const path = await invite(workspace, { email, ...NAMES });
  await register(email, { first_name: 'Eleonora', last_name: 'Dahl' });
  expect(await shownIn(workspace, email)).toMatchObject([NAMES]);
  const told = (await world.browser('none').get(path)).body.data;
  expect(told).toMatchObject({ ...NAMES, needs_sign_in: true });
  expect((await accept(email, path)).status).toBe(200);
  expect(await shownIn(workspace, email)).toMatchObject([{ first_name: 'Eleonora', last_name: 'Dahl' }]);
});

test('who is in an imported workspace is shown as the file says until they accept', async () => {
  const original = await world.workspace();
  const email = freshEmail();
  const own = await invite(original, { email, ...NAMES });
  const copy = await imported(original);
  expect(await shownIn(copy, email)).toMatchObject([NAMES]);
  const names = { first_name: 'Eleonora', last_name: 'Dahl' };
  expect((await world.browser('none').post(own, { ...names, password })).status).toBe(200);
  expect(await shownIn(original, email)).toMatchObject([names]);
  expect(await shownIn(copy, email)).toMatchObject([NAMES]);
  const { link } = await run('user', 'invite', '--workspace', copy.id, '--email', email);
  expect((await accept(email, new URL(link).pathname)).status).toBe(200);
  expect(await shownIn(copy, email)).toMatchObject([names]);
});

test('who is in an imported workspace is found by the address that the file says, not by that of their account', async () => {
  const original = await world.workspace();
  const { id, email } = original.owner;
  const earlier = `Tidligere.${freshEmail()}`;
  const copy = await imported(original, (text) => text.replaceAll(email, earlier));
  for (const address of [earlier, earlier.toUpperCase()]) {
    expect(await shownIn(copy, address)).toMatchObject([{ id, email: earlier }]);
  }
  expect(await shownIn(copy, email)).toEqual([]);
  expect(await shownIn(original, email)).toMatchObject([{ id, email }]);
});

test('colleagues of the demo keep their names, whoever else invites their addresses', async () => {
  const [first, second] = [await world.workspace(), await world.workspace()];
  for (const { id } of [first, second]) await run('demo', '--workspace', id);
  const [colleague] = COLLEAGUES;
  await register(colleague.email, NAMES);
  for (const workspace of [first, second]) {
    expect(await shownIn(workspace, colleague.email)).toMatchObject([colleague]);
  }
});

test('what a former member wrote keeps the name of their account, however often they are invited again', async () => {
  const workspace = await world.workspace();
  const owner = await workspace.signIn();
  const email = freshEmail();
  const path = await invite(workspace, { email });
  expect((await world.browser('none').post(path, { ...NAMES, password })).status).toBe(200);
  const [{ id }] = await shownIn(workspace, email);
  const own = await workspace.signIn({ id, email, ...NAMES });
  expect((await own.post('/contacts', { name: 'Ola' })).status).toBe(201);
  const author = async () => (await owner.get('/history?resource=contact')).body.data[0].actor.name;
  expect(await author()).toBe('Nora Berg');
  for (let count = 0; count < 2; count++) {
    expect((await owner.post(`/members/${id}/remove`, {})).status).toBe(200);
    await invite(workspace, { email });
    expect(await author()).toBe('Nora Berg');
  }
});

test('who was added without an invitation is shown by the names of their account', async () => {
  const workspace = await world.workspace();
  const email = freshEmail();
  const names = ['--first-name', 'Kari', '--last-name', 'Nordmann'];
  await run('user', 'add', '--workspace', workspace.id, '--email', email, ...names);
  await register(email, NAMES);
  expect(await shownIn(workspace, email)).toMatchObject([NAMES]);
});
