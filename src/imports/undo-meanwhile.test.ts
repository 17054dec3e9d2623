import { expect, test } from 'vitest';
import { importFile } from '../../test/import-file.ts';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

const world = await createWorld();

/** The lowest id, since rows are written in order of id. */
const FIRST = '00000000-0000-7000-8000-000000000001';

test.each(['contact', 'offer'] as const)(
  'a company that one import names while the import that added it is undone is kept: %s',
  async (resource) => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const orgnr = freshOrgnr();
    const { id } = await importFile(browser, 'company', [['Orgnr'], [orgnr]]);
    await workspace[resource]({ id: FIRST });
    const lock = `select from ${resource}s where tenant_id = $1 and id = $2 for update`;
    const held = await holdRow(world.databaseUrl, lock, [workspace.id, FIRST]);
    const naming = importFile(browser, resource, [
      ['ID', resource === 'contact' ? 'Navn' : 'Tittel', 'Orgnr'],
      [FIRST, 'Nytt', ''],
      ['', 'Ny', orgnr],
    ]);
    await held.awaited();
    const undoing = browser.post(`/imports/${id}/undo`, {});
    await expect.poll(() => countWaiters(world)).toBe(2);
    await held.commit();
    expect(await naming).toMatchObject({ created_count: 1, updated_count: 1 });
    expect((await undoing).body).toMatchObject({ remaining: 0, data: { undone_count: 0, kept_count: 1 } });
    expect((await browser.get(`/companies/${orgnr}`)).status).toBe(200);
    expect((await browser.get(`/imports/${id}/rows?show=kept`)).body.data).toMatchObject([
      { line: 2, undo: 'kept' },
    ]);
  },
);

test('an imported offer is undone although a contact of the same id is erased', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = await workspace.offer({ title: 'Avtale' });
  await workspace.contact({ id, name: 'Kari' });
  const imported = await importFile(browser, 'offer', [
    ['ID', 'Tittel'],
    [id, 'Ny avtale'],
  ]);
  const labels = async () => (await browser.get(`/imports/${imported.id}/rows`)).body.data;
  expect(await labels()).toMatchObject([{ label: 'Ny avtale' }]);
  await workspace.client.send({ method: 'DELETE', path: `/contacts/${id}` });
  expect((await browser.post(`/imports/${imported.id}/undo`, {})).body.data).toMatchObject({
    undone_count: 1,
  });
  expect((await workspace.client.get(`/offers/${id}`)).body.data.title).toBe('Avtale');
});
