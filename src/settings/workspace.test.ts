import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { kundebokHere } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-workspace-'));
afterAll(() => rm(folder, { recursive: true }));

test('an owner changes name, language and time zone; the rest stays as it is', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const body = { name: 'Nordlys AS', language: 'en', time_zone: 'America/New_York' };
  expect((await browser.patch('/workspace', body)).body.data).toEqual({ id: workspace.id, ...body });
  expect((await browser.patch('/workspace', { name: 'Nytt' })).body.data).toEqual({
    id: workspace.id,
    ...body,
    name: 'Nytt',
  });
  expect((await browser.get('/session')).body.data.workspace).toEqual({
    id: workspace.id,
    ...body,
    name: 'Nytt',
  });
});

test.each([
  ['name', { name: '  ' }],
  ['language', { language: 'de' }],
  ...['Mars/Olympus', '+01:00', 'T10:00+01:00', 'IST', 'US/Pacific-New', ''].map(
    (time_zone) => ['time_zone', { time_zone }] as const,
  ),
] as const)('a wrong %s is refused: %j', async (field, body) => {
  const browser = await (await world.workspace()).signIn();
  const { status, body: problem } = await browser.patch('/workspace', body);
  expect([status, problem.details[0].field]).toEqual([400, field]);
});

test.each(['Europe/Oslo', 'UTC', 'Asia/Kolkata'])('%s is a time zone', async (time_zone) => {
  const browser = await (await world.workspace()).signIn();
  expect((await browser.patch('/workspace', { time_zone })).status).toBe(200);
});

test('an owner creates another workspace and goes there', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await browser.patch('/workspace', { language: 'en' });
  const created = await browser.post('/workspaces', { name: 'Datter AS' });
  expect([created.status, created.body.data]).toMatchObject([201, { name: 'Datter AS', language: 'en' }]);
  const { id } = created.body.data;
  const moved = await browser.post('/session/workspace', { workspace_id: id });
  expect(moved.body.data).toMatchObject({ role: 'owner', workspace: { id } });
  expect((await browser.get('/companies')).body.data).toEqual([]);
});

test('an id creates one workspace', async () => {
  const [one, other] = [await world.workspace(), await world.workspace()];
  const body = { id: '01900000-0000-7000-8000-00000000d0d0', name: 'Datter AS' };
  const browser = await one.signIn();
  expect((await browser.post('/workspaces', body)).body.data.id).toBe(body.id);
  for (const person of [browser, await other.signIn()]) {
    const { status, body: problem } = await person.post('/workspaces', { ...body, name: 'Andre' });
    expect([status, problem.code]).toEqual([409, 'id_already_used']);
  }
});

test('members and admins change no workspace and create none', async () => {
  const workspace = await world.workspace();
  const admin = await workspace.addMember({}, 'admin');
  for (const person of [workspace.member, admin]) {
    const browser = await workspace.signIn(person);
    expect((await browser.patch('/workspace', { name: 'x' })).status).toBe(403);
    expect((await browser.post('/workspaces', { name: 'x' })).status).toBe(403);
  }
});

test('an import creates a workspace with the language and time zone of the file, if it has them', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const settings = { language: 'en', time_zone: 'Asia/Tokyo' };
  await browser.patch('/workspace', settings);
  const path = join(folder, 'workspace.jsonl');
  const run = (...args: string[]) => kundebokHere(args, { DATABASE_URL: world.databaseUrl });
  await run('export', path, '--workspace', workspace.id);
  const text = await readFile(path, 'utf8');

  const imported = async (changed: string) => {
    const workspace_id = randomUUID();
    await writeFile(path, changed.replace(workspace.id, workspace_id));
    const { code, stderr } = await run('import', path);
    if (code !== 0) return stderr;
    return (await world.query('select * from workspaces where id = $1', [workspace_id]))[0];
  };
  expect(await imported(text)).toMatchObject(settings);
  const older = text.replace(/,"language":"en","time_zone":"[^"]+"/, '');
  expect(older).not.toBe(text);
  expect(await imported(older)).toMatchObject({ language: 'nb', time_zone: 'Europe/Oslo' });
  expect(await imported(text.replace('Asia/Tokyo', 'Mars/Olympus'))).toContain(
    'is not an export of Kundebok',
  );
});
