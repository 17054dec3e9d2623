import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { check, importFile, parseFile } from '../../test/import-file.ts';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import type { Workspace } from '../../test/workspace.ts';

const world = await createWorld();

const results = (rows: { outcome: string; reasons: object[] }[]) =>
  rows.map(({ outcome, reasons }) => [outcome, ...reasons]);

const repeats = (line: number) => ['refused', { field: null, code: 'repeated', line }];

const LAST = 'ffffffff-ffff-7fff-bfff-ffffffffffff';

/** `of` gives the cells of one contact or offer, apart from its id. */
const KINDS = [
  {
    resource: 'contact',
    header: ['ID', 'Navn', 'E-post'],
    of: async () => ['Kari', 'kari@example.no'],
    create: (workspace: Workspace, more: object) => workspace.contact(more),
    list: '/contacts',
  },
  {
    resource: 'offer',
    header: ['ID', 'Tittel', 'Orgnr'],
    of: async (workspace: Workspace) => ['Avtale', (await workspace.company()).orgnr],
    create: (workspace: Workspace, more: object) => workspace.offer(more),
    list: '/offers',
  },
] as const;

describe.each(KINDS)(
  'imported rows with and without an id: $resource',
  ({ resource, header, of, create, list }) => {
    test.each([
      [
        'first',
        (row: string[]) => [
          [randomUUID(), ...row],
          ['', ...row],
        ],
      ],
      [
        'last',
        (row: string[]) => [
          ['', ...row],
          [randomUUID(), ...row],
        ],
      ],
    ])('one of two equal rows is created, where the row with the id comes %s', async (_, rowsOf) => {
      const workspace = await world.workspace();
      const browser = await workspace.signIn();
      const file = [header, ...rowsOf(await of(workspace))];
      const expected = [['created'], repeats(2)];
      expect(results(await check(browser, resource, file))).toEqual(expected);
      expect(results((await importFile(browser, resource, file)).rows)).toEqual(expected);
      expect((await browser.get(list)).body.data).toHaveLength(1);
    });

    test('a row without an id repeats an earlier row with an id that the workspace has', async () => {
      const workspace = await world.workspace();
      const browser = await workspace.signIn();
      const row = await of(workspace);
      const { id } = await create(workspace, {});
      const file = [header, [id, ...row], ['', ...row]];
      expect(results((await importFile(browser, resource, file)).rows)).toEqual([['updated'], repeats(2)]);
    });

    test('two rows with ids stay apart', async () => {
      const workspace = await world.workspace();
      const browser = await workspace.signIn();
      const row = await of(workspace);
      const file = [header, [randomUUID(), ...row], [randomUUID(), ...row]];
      expect(results((await importFile(browser, resource, file)).rows)).toEqual([['created'], ['created']]);
      expect(results((await importFile(browser, resource, file)).rows)).toEqual([
        ['unchanged'],
        ['unchanged'],
      ]);
    });

    test('two rows with ids stay apart in two batches, too', async () => {
      const workspace = await world.workspace();
      const browser = await workspace.signIn();
      const row = await of(workspace);
      const { columns } = (await browser.post('/import-guesses', { resource, rows: [header] })).body.data;
      const about = { resource, columns, file_name: 'a.csv', row_count: 2 };
      const { id } = (await browser.post('/imports', about)).body.data;
      const ids = [randomUUID(), randomUUID()];
      for (const [index, own] of ids.entries()) {
        const rows = [{ line: index + 2, cells: [own, ...row] }];
        const { data } = (await browser.post(`/imports/${id}/rows`, { rows })).body;
        expect(data).toMatchObject([{ outcome: 'created', resource_id: own }]);
      }
      const second = await importFile(browser, resource, [header, [ids[1]!, 'Ola', row[1]!]]);
      expect(second.rows).toMatchObject([{ outcome: 'updated', resource_id: ids[1] }]);
      expect((await browser.get(`${list}/${ids[0]}`)).body.data).toMatchObject({
        [resource === 'contact' ? 'name' : 'title']: row[0],
      });
    });

    test('two imports at once, with and without ids, create one', async () => {
      const workspace = await world.workspace();
      const browser = await workspace.signIn();
      const row = await of(workspace);
      const last = await create(workspace, { id: LAST });
      const lock = `select from ${resource}s where tenant_id = $1 and id = $2 for update`;
      const held = await holdRow(world.databaseUrl, lock, [workspace.id, last.id]);
      // Rows are written in order of id, so the first row is created when the second waits.
      const rows = [
        [randomUUID(), ...row],
        [last.id, 'Nytt', ''],
      ];
      const withIds = importFile(browser, resource, [header, ...rows]);
      await held.awaited();
      const without = importFile(browser, resource, [header, ['', ...row]]);
      await expect.poll(() => countWaiters(world)).toBe(2);
      await held.commit();
      expect(results((await withIds).rows)).toEqual([['created'], ['updated']]);
      expect(results((await without).rows)).toEqual([['unchanged']]);
    });
  },
);

test('contacts that share an address keep ids and names in another workspace, however often imported', async () => {
  const [source, target] = [await world.workspace(), await world.workspace()];
  for (const name of ['Kari', 'Ola']) {
    const { id } = await source.contact({ name });
    await source.client.post(`/contacts/${id}/points`, { type: 'email', value: 'felles@example.no' });
  }
  const [there, browser] = [await source.signIn(), await target.signIn()];
  const file = parseFile((await there.get('/contacts.csv?language=nb')).text);
  expect(results((await importFile(browser, 'contact', file)).rows)).toEqual([['created'], ['created']]);
  expect(results((await importFile(browser, 'contact', file)).rows)).toEqual([['unchanged'], ['unchanged']]);
  expect(results((await importFile(there, 'contact', file)).rows)).toEqual([['unchanged'], ['unchanged']]);
  const { data } = (await source.client.get('/contacts?include=points')).body;
  const shown = (await target.client.get('/contacts?include=points')).body.data;
  expect(shown.map(({ id, name }: never) => [id, name])).toEqual(
    data.map(({ id, name }: never) => [id, name]),
  );
});
