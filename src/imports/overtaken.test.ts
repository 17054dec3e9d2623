import { expect, test } from 'vitest';
import { numbered } from '../../test/import-file.ts';
import { holdRow } from '../../test/locks.ts';
import { sendWithKey } from '../../test/repeats.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('rows that are imported again because a contact changed meanwhile are each counted once', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  // Rows are written in order of id.
  const last = await workspace.contact({ id: 'ffffffff-ffff-7fff-bfff-ffffffffffff' });
  await workspace.client.post(`/contacts/${last.id}/points`, { type: 'email', value: 'siste@example.no' });
  const about = { resource: 'contact', columns: ['name', 'email'], file_name: 'a.csv', row_count: 2 };
  const { id } = (await browser.post('/imports', about)).body.data;
  const rows = numbered([[], ['Ny', 'ny@example.no'], ['Nytt navn', 'siste@example.no']]);

  const held = await holdRow(
    world.databaseUrl,
    'select from contacts where tenant_id = $1 and id = $2 for update',
    [workspace.id, last.id],
  );
  const sent = sendWithKey(browser, { method: 'POST', path: `/imports/${id}/rows`, body: { rows } }, 'k');
  await held.awaited();
  await held.run(`update contacts set notes = 'x', version = version + 1 where id = '${last.id}'`);
  await held.commit();
  const outcomes = (await sent).body.data.map(({ outcome }: { outcome: string }) => outcome);
  expect(outcomes).toEqual(['created', 'updated']);
  const { data } = (await browser.get(`/imports/${id}`)).body;
  expect(data).toMatchObject({ created_count: 1, updated_count: 1 });
});
