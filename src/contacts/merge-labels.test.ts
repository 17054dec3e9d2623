import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('a detail without a label takes that of the duplicate that a merge drops; others keep their own', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const browser = await workspace.signIn();
  const [kept, gone] = [await workspace.contact(), await workspace.contact()];
  const add = async ({ id }: { id: string }, value: string, label: string) =>
    (await client.post(`/contacts/${id}/points`, { type: 'mobile', value, label })).body.data;
  const blank = await add(kept, '900 00 001', ' ');
  const own = await add(kept, '900 00 002', 'Privat');
  for (const { value } of [blank, own]) await add(gone, value, 'Jobb');
  const moved = await add(gone, '900 00 003', '');
  await add(gone, '900 00 003', '');
  await add(gone, '900 00 003', 'Hytte');
  await add(gone, '900 00 003', 'Båt');
  const cursor = (await client.get('/changes?cursor=now')).body.page.next_cursor;
  const path = `/contacts/${kept.id}/merge`;

  const preview = (await browser.get(`${path}/${gone.id}`)).body.data;
  expect(preview.labels).toEqual([
    { id: blank.id, label: 'Jobb' },
    { id: moved.id, label: 'Hytte' },
  ]);
  expect(preview.contact.points).toEqual([blank, own]);
  expect(preview.moved.points).toEqual([moved]);

  expect((await browser.post(path, { other_id: gone.id })).status).toBe(200);
  expect((await client.get(`/contacts/${kept.id}/points`)).body.data).toEqual([
    { ...blank, label: 'Jobb' },
    own,
    { ...moved, label: 'Hytte' },
  ]);
  const { data } = (await client.get(`/changes?cursor=${cursor}&resource=point`)).body;
  const updated = data.flatMap(({ action, ...entry }: Record<string, unknown>) =>
    action === 'updated' ? [[entry['resource_id'], entry['contact_id'], entry['fields']]] : [],
  );
  expect(updated).toEqual([
    [String(moved.id), kept.id, ['contact_id']],
    [String(blank.id), kept.id, ['label']],
    [String(moved.id), kept.id, ['label']],
  ]);
});
