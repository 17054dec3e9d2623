import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openClient } from '../../test/database.ts';
import { everything, furnish, openExports } from '../../test/exports.ts';
import { endWithFile, kundebok, kundebokJson } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';
import { importWorkspace } from './import.ts';

endWithFile();
const world = await createWorld();
const { folder, signal, db, exported, elsewhere } = await openExports(world);

test('an import into another installation keeps ids, and a second one changes nothing', async () => {
  const workspace = await furnish(world);
  const { path, counts } = await exported(workspace.id);
  const other = await elsewhere();
  expect(await other.imported(path)).toMatchObject({ workspace_id: workspace.id, added: counts });
  const client = await other.keyFor(workspace);
  expect(await everything(client)).toEqual(await everything(workspace.client));
  const again = await exported(workspace.id, other.db);
  expect(again.lines.slice(1)).toEqual((await readFile(path, 'utf8')).trimEnd().split('\n').slice(1));

  const read = async () => (await client.get('/changes')).body.data as { resource: string; action: string }[];
  const entries = await read();
  const created = entries.map(({ resource, action }) => `${resource} ${action}`).toSorted();
  expect(created).toEqual(
    ['company', 'company', 'contact', 'link', 'note', 'offer', 'point', 'task'].map(
      (name) => `${name} created`,
    ),
  );
  expect(await other.imported(path)).toMatchObject({ unchanged: counts });
  expect(await read()).toEqual(entries);
  expect((await exported(workspace.id, other.db)).lines.slice(1)).toEqual(again.lines.slice(1));

  const { data } = (await client.get('/contacts?q=odegard')).body;
  expect(data).toEqual((await workspace.client.get('/contacts?q=odegard')).body.data);
  const [contact] = (await client.get('/contacts?q=ase@example')).body.data;
  const point = await client.post(`/contacts/${contact.id}/points`, { type: 'mobile', value: '900' });
  const own = (await client.get(`/contacts/${contact.id}/points`)).body.data;
  expect(point.body.data.id).toBeGreaterThan(own[0].id);
  const erased = (await exported(workspace.id)).rows.find(({ resource }) => resource === 'erased_contact')
    .data.id;
  expect((await client.post('/contacts', { id: erased, name: 'x' })).body.code).toBe('id_already_used');
  await other.end();
});

test('people are matched by address, also in an import into another workspace', async () => {
  const workspace = await furnish(world);
  const { path, counts } = await exported(workspace.id);
  const other = await elsewhere();
  const { email } = workspace.owner;
  const names = '--name Ny --owner-first-name A --owner-last-name B'.split(' ');
  const target = await kundebokJson(['workspace', 'create', ...names, '--owner-email', email.toUpperCase()], {
    DATABASE_URL: other.url,
  });
  const result = await other.imported(path, target.workspace_id);
  expect(result.added).toEqual({ ...counts, user: 1 });
  const { rows } = await exported(target.workspace_id, other.db);
  expect(rows.find(({ resource }) => resource === 'offer').data.user_id).toBe(target.user_id);
  expect(JSON.stringify(rows)).not.toContain(workspace.owner.id);
  await other.end();
});

test('search finds imported rows like rows that were written here', async () => {
  const [source, target] = [await furnish(world), await world.workspace()];
  await importWorkspace(db, (await exported(source.id)).path, { workspace: target.id, signal });
  const browser = await target.signIn();
  for (const [q, kind] of [
    ['ring', 'tasks'],
    ['avtale', 'offers'],
    ['ødegård', 'contacts'],
  ] as const) {
    expect((await browser.get(`/search?q=${encodeURIComponent(q)}`)).body.data[kind]).toHaveLength(1);
  }
});

test('a file that is cut, changed or no export is refused with the reason, and nothing of it is imported', async () => {
  const workspace = await furnish(world);
  const { lines } = await exported(workspace.id);
  const other = await elsewhere();
  const refused = async (changed: readonly string[]) => {
    const path = join(folder, 'refused.jsonl');
    await writeFile(path, `${changed.join('\n')}\n`);
    return other.imported(path).then(
      () => 'imported',
      (error: Error) => error.message.replace(path, 'FILE'),
    );
  };
  const at = (kind: string) => lines.findIndex((text) => text.includes(`"resource":"${kind}"`));
  const replaced = (kind: string, from: string | RegExp, to: string) =>
    lines.map((text, index) => (index === at(kind) ? text.replace(from, to) : text));
  expect(await refused(lines.slice(0, -1))).toBe(
    'FILE is incomplete: its last line is missing; nothing was imported',
  );
  expect(await refused(lines.filter((_, index) => index !== at('offer')))).toMatch(
    'does not have as many lines of offer',
  );
  expect(await refused(['{}', ...lines.slice(1)])).toMatch('is not an export of Kundebok');
  const later = lines[0]!.replace('"schema_version":', '"schema_version":9');
  expect(await refused([later, ...lines.slice(1)])).toMatch('was made by a newer release');
  expect(await refused(lines.toSpliced(3, 0, 'x'))).toMatch('is not an export of Kundebok at line 4');
  expect(await refused(replaced('offer', '"status":"new"', '"status":"lost"'))).toMatch(
    /cannot be imported, between lines \d+ and \d+: .*offers_status_check/,
  );
  // Rows that are written later get higher numbers, which a client must still be able to read.
  for (const kind of ['timeline_entry', 'contact']) {
    const high = replaced(kind, /(\{|"points":\[\{)"id":\d+/, '$1"id":9007199254740991');
    expect(high).not.toEqual(lines);
    expect(await refused(high)).toMatch(`is not an export of Kundebok at line ${at(kind) + 1}`);
  }
  const id = crypto.randomUUID();
  for (const [kind, wrong] of [
    ['contact', { points: undefined }],
    ['contact', { links: undefined }],
    ['timeline_entry', { id }],
    ['task', { id: 7 }],
  ] as const) {
    const changed = lines.map((text, index) => {
      const row = JSON.parse(text);
      return index === at(kind) ? JSON.stringify({ ...row, data: { ...row.data, ...wrong } }) : text;
    });
    expect(await refused(changed)).toMatch(`is not an export of Kundebok at line ${at(kind) + 1}`);
  }
  expect(
    await refused(replaced('task', /"related_company_id":"[^"]+"/, `"related_company_id":"${id}"`)),
  ).toMatch(/between lines 13 and 13: .*tasks_related_company/);
  await using client = await openClient(other.url);
  expect((await client.query('select from workspaces')).rowCount).toBe(0);
  const last = "select pg_sequence_last_value('timeline_entries_id_seq')::float8 as last";
  expect((await client.query<{ last: number }>(last)).rows[0]!.last).toBeLessThan(1_000_000);
  for (const path of [join(folder, 'none'), folder]) {
    const { stderr } = await kundebok(['import', path], { DATABASE_URL: other.url });
    expect(stderr).toContain(`${path} cannot be read`);
  }
  await other.end();
});

test('a file of an older release need not count the lines of a resource that the release did not know', async () => {
  const source = await furnish(world);
  const { lines } = await exported(source.id);
  const target = await world.workspace();
  const importLines = async (changed: readonly string[]) => {
    const path = join(folder, 'fewer-resources.jsonl');
    await writeFile(path, `${changed.join('\n').replace(',"offer":1', '')}\n`);
    return importWorkspace(db, path, { workspace: target.id, signal });
  };
  await expect(importLines(lines)).rejects.toThrow('does not have as many lines of offer');
  const { added } = await importLines(lines.filter((text) => !text.startsWith('{"resource":"offer"')));
  expect([added.task, added.offer]).toEqual([1, 0]);
});

test('a field that a file of an older release does not have gets its default', async () => {
  const source = await furnish(world);
  const { lines } = await exported(source.id);
  const older = lines.map((text) => text.replace(/"kept_fields":\[[^\]]*\],|"completed":\w+,/g, ''));
  expect(older.filter((text, at) => text !== lines[at])).toHaveLength(3);
  const path = join(folder, 'older.jsonl');
  await writeFile(path, `${older.join('\n')}\n`);
  const target = await world.workspace();
  await importWorkspace(db, path, { workspace: target.id, signal });
  expect(
    await world.query('select distinct kept_fields from companies where tenant_id = $1', [target.id]),
  ).toEqual([{ kept_fields: [] }]);
});

test('an id or number that the workspace has used for something else stops the import', async () => {
  const workspace = await furnish(world);
  const { path } = await exported(workspace.id);
  const target = await world.workspace();
  const { orgnr } = (await workspace.client.get('/companies')).body.data[0];
  await target.client.post('/companies', { orgnr });
  await expect(importWorkspace(db, path, { workspace: target.id, signal })).rejects.toThrow(
    'The workspace has used the id or number of the company',
  );
  expect((await target.client.get('/contacts')).body.data).toEqual([]);
});
