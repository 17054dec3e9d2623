import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { kundebokHere, kundebokJson } from '../../test/service.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { pruneNotes } from '../companies/prune-notes.ts';
import { connect } from '../db/connect.ts';
import { pruneEach } from '../service/retention.ts';
import { pruneTasks } from '../tasks/prune.ts';

const world = await createWorld();
const settings = { DATABASE_URL: world.databaseUrl };
const folder = await mkdtemp(join(tmpdir(), 'kundebok-deleted-'));
const db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

/** The file of a workspace with a note, a task and an offer. */
async function exported(): Promise<string> {
  const workspace = await world.workspace();
  const company = await workspace.company();
  await workspace.client.post(`/companies/${company.orgnr}/notes`, { text: 'Ring' });
  await workspace.task();
  await workspace.offer({ company_id: company.id });
  const path = join(folder, `${workspace.id}.jsonl`);
  await kundebokJson(['export', path, '--workspace', workspace.id], settings);
  return path;
}

const inAMinute = () => Temporal.Now.instant().add({ minutes: 1 });

const importInto = ({ id }: Workspace, path: string) =>
  kundebokHere(['import', path, '--workspace', id, '--json'], settings);

test('what was deleted since an import stays deleted after the next one, and can still be restored', async () => {
  const path = await exported();
  const target = await world.workspace();
  await importInto(target, path);
  const browser = await target.signIn();
  const read = () =>
    Promise.all(
      ['/notes', '/tasks', '/offers'].map(async (list) => (await target.client.get(list)).body.data),
    );
  const [[note], [task], [offer]] = await read();
  const { orgnr } = (await target.client.get('/companies')).body.data[0];
  const paths = [`/companies/${orgnr}/notes/${note.id}`, `/tasks/${task.id}`, `/offers/${offer.id}`];
  const changesNothing = { user: 0, company: 0, timeline_entry: 0, task: 0, offer: 0, there_already: 7 };

  for (const each of paths) expect((await browser.delete(each)).status).toBe(204);
  expect(JSON.parse((await importInto(target, path)).stdout)).toMatchObject(changesNothing);
  expect(await read()).toEqual([[], [], []]);
  for (const each of paths) expect((await browser.post(`${each}/restore`, {})).status).toBe(200);
  expect(JSON.parse((await importInto(target, path)).stdout)).toMatchObject(changesNothing);
  for (const each of paths) expect((await browser.delete(each)).status).toBe(204);
});

test('a contact that was merged into another one still says so after an import', async () => {
  const source = await world.workspace();
  const [kept, merged] = [await source.contact(), await source.contact()];
  const browser = await source.signIn();
  expect((await browser.post(`/contacts/${kept.id}/merge`, { other_id: merged.id })).status).toBe(200);
  const path = join(folder, 'merged.jsonl');
  await kundebokJson(['export', path, '--workspace', source.id], settings);
  const target = await world.workspace();
  await importInto(target, path);
  const { status, body } = await target.client.get(`/contacts/${merged.id}`);
  expect([status, body.details]).toEqual([404, [{ field: 'merged_into', message: kept.id }]]);
});

test('a deleted note whose stored row was removed stays deleted after an import, and does not stop it', async () => {
  const path = await exported();
  const target = await world.workspace();
  await importInto(target, path);
  const [note] = (await target.client.get('/notes')).body.data;
  const { orgnr } = (await target.client.get('/companies')).body.data[0];
  const browser = await target.signIn();
  expect((await browser.delete(`/companies/${orgnr}/notes/${note.id}`)).status).toBe(204);
  await pruneEach(db, pruneNotes, inAMinute());
  const { code, stdout } = await importInto(target, path);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { timeline_entry: 0, there_already: 7 }]);
});

test('notes and tasks past the time for which they are kept stay removed after the next import', async () => {
  const path = await exported();
  const target = await world.workspace();
  await importInto(target, path);
  const [task] = (await target.client.get('/tasks')).body.data;
  expect((await target.client.patch(`/tasks/${task.id}`, { completed: true })).status).toBe(200);
  for (const prune of [pruneNotes, pruneTasks]) await pruneEach(db, prune, inAMinute());
  for (const list of ['/notes', '/tasks']) expect((await target.client.get(list)).body.data).toEqual([]);
  const { code, stdout } = await importInto(target, path);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { timeline_entry: 0, task: 0, there_already: 7 }]);
});

test('a note with the number of another one that was deleted stops the import', async () => {
  const path = await exported();
  const target = await world.workspace();
  const { orgnr } = await target.company();
  const { id } = (await target.client.post(`/companies/${orgnr}/notes`, { text: 'x' })).body.data;
  const note = `/companies/${orgnr}/notes/${id}`;
  const browser = await target.signIn();
  expect((await browser.delete(note)).status).toBe(204);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/"id":\d+(?=[^\n]*"type":"add_comment")/, `"id":${id}`));
  const { code, stderr } = await importInto(target, path);
  expect([code, JSON.parse(stderr).error]).toEqual([
    1,
    expect.stringContaining(`the timeline_entry ${id} of the file for something else`),
  ]);
  expect((await browser.post(`${note}/restore`, {})).status).toBe(200);
});
