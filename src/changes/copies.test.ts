// What the guide says of copies that are kept by GET /changes, done as it says.
import { expect, test } from 'vitest';
import type { Client } from '../../test/client.ts';
import { walk } from '../../test/walk.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

type Note = { id: number; company_id: string; type: string };
type Entry = { resource: string; resource_id: string; orgnr: string; action: string };

/** A copy of the notes of a workspace. @returns how it catches up */
async function copyNotes(client: Client, notes: Map<number, Note>): Promise<() => Promise<void>> {
  let cursor = (await client.get('/changes?cursor=now')).body.page.next_cursor;

  async function apply({ resource, resource_id, orgnr, action }: Entry): Promise<void> {
    const isWhole = resource === 'company' && action === 'restored';
    if (!isWhole && resource !== 'note') return;
    if (resource === 'note' && action === 'deleted') return void notes.delete(Number(resource_id));
    if ((await client.get(`/companies/${orgnr}/timeline`)).status === 404) return;
    const timeline: Note[] = await walk(client, `/companies/${orgnr}/timeline`);
    const there = timeline.filter(({ type }) => type === 'add_comment');
    const isMeant = ({ id, company_id }: Note) =>
      isWhole ? company_id === resource_id : id === Number(resource_id);
    for (const note of notes.values()) if (isMeant(note)) notes.delete(note.id);
    for (const note of there) if (isMeant(note)) notes.set(note.id, note);
  }

  return async () => {
    const { data, page } = (await client.get(`/changes?cursor=${cursor}`)).body;
    for (const entry of data) await apply(entry);
    cursor = page.next_cursor;
  };
}

test('a copy of notes is right once a company is restored, whatever was missed while it was deleted', async () => {
  const workspace = await world.workspace();
  const { client, company } = workspace;
  const browser = await workspace.signIn();
  const { orgnr } = await company();
  const path = `/companies/${orgnr}`;
  const note = async (text: string) => (await client.post(`${path}/notes`, { text })).body.data;
  const copy = new Map<number, Note>();
  const catchUp = await copyNotes(client, copy);
  const copied = () => [...copy.values()].toSorted((one, other) => one.id - other.id);

  const [kept, gone, back] = [await note('Ringt'), await note('Sendt tilbud'), await note('Purret')];
  await catchUp();
  const late = await note('Fikk svar');
  await browser.delete(path);
  await browser.delete(`${path}/notes/${gone.id}`);
  await browser.delete(`${path}/notes/${back.id}`);
  await catchUp();
  await browser.post(`${path}/notes/${back.id}/restore`, {});
  await catchUp();
  expect((await client.get(`${path}/timeline`)).status).toBe(404);
  expect(await walk(client, '/notes')).toEqual([kept, back, late]);
  expect(copied()).toEqual([kept]);

  await browser.post(`${path}/restore`, {});
  await catchUp();
  expect(copied()).toEqual([kept, back, late]);
});

test('a contact merged twice is found one merge at a time, until it is erased', async () => {
  const workspace = await world.workspace();
  const { client, contact } = workspace;
  const browser = await workspace.signIn();
  const [first, second, third] = [await contact(), await contact(), await contact()];
  await browser.post(`/contacts/${second.id}/merge`, { other_id: first.id });
  await browser.post(`/contacts/${third.id}/merge`, { other_id: second.id });
  await client.send({ method: 'DELETE', path: `/contacts/${third.id}` });
  const detailsOf = async ({ id }: { id: string }) => {
    const { status, body } = await client.get(`/contacts/${id}`);
    return [status, body.details];
  };
  expect([await detailsOf(first), await detailsOf(second), await detailsOf(third)]).toEqual([
    [404, [{ field: 'merged_into', message: second.id }]],
    [404, [{ field: 'merged_into', message: third.id }]],
    [404, undefined],
  ]);
});
