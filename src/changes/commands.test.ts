import { expect, test } from 'vitest';
import { endWithFile, kundebok, kundebokHere, kundebokJson } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

endWithFile();
const world = await createWorld();
const settings = { DATABASE_URL: world.databaseUrl };

test('company commands write one entry each, and none where the flag is set already', async () => {
  const { id: workspace, client } = await world.workspace();
  const { id, orgnr } = (await client.post('/companies', { orgnr: freshOrgnr() })).body.data;
  let cursor = (await client.get('/changes')).body.page.next_cursor;
  for (const [command, action, field] of [
    ['archive', 'archived', 'is_archived'],
    ['unarchive', 'unarchived', 'is_archived'],
    ['delete', 'deleted', 'is_deleted'],
    ['restore', 'restored', 'is_deleted'],
  ] as const) {
    for (const isFirst of command === 'archive' ? [true, false] : [true]) {
      await kundebokJson(['company', command, orgnr, '--workspace', workspace], settings, kundebokHere);
      const { data, page } = (await client.get(`/changes?cursor=${cursor}`)).body;
      cursor = page.next_cursor;
      const value = ['archive', 'delete'].includes(command);
      const entry = {
        resource: 'company',
        resource_id: id,
        orgnr,
        contact_id: null,
        action,
        fields: [field],
        values: { [field]: [!value, value] },
        actor: { kind: 'command', id: `company ${command}` },
        request_id: null,
      };
      expect(data).toEqual(isFirst ? [{ ...entry, id: expect.any(Number), at: expect.any(String) }] : []);
    }
  }
});

test('changes shows the entries that GET /changes gives, by resource, time and number', async () => {
  const workspace = await world.workspace();
  const { client, id } = workspace;
  await workspace.task();
  await workspace.offer();
  const { data } = (await client.get('/changes')).body;
  const args = ['changes', '--workspace', id];
  expect(data).toHaveLength(3);
  const shown = await Promise.all(
    [
      [],
      ['--limit', '2'],
      ['--resource', 'task', '--since', '2026-01-01T00:00:00Z'],
      ['--since', '2999-01-01T00:00:00Z'],
    ].map((more) => kundebokJson([...args, ...more], settings, kundebokHere)),
  );
  expect(shown).toEqual([data, data.slice(1), data.slice(0, 1), []]);
});

test('changes shows entries that nobody has read yet, as a table for people', async () => {
  const workspace = await world.workspace();
  const { id } = await workspace.contact();
  const { stdout, code } = await kundebok(['changes', '--workspace', workspace.id], settings);
  expect(code).toBe(0);
  const [head, line] = stdout.split('\n');
  expect(head).toMatch(/^id +at +resource +resource_id +action +fields +by +request_id +values$/);
  expect(line).toMatch(
    new RegExp(`^1 +[\\d-]+T\\S+Z +contact +${id} +created +name,notes +key \\w{12} +\\S+ +{}$`),
  );
});

test('changes says what is wrong with its options', async () => {
  const wrong = await kundebokHere(
    ['changes', '--workspace', 'x', '--since', 'today', '--resource', 'user', '--limit', '0'],
    settings,
  );
  expect(wrong.code).toBe(2);
  for (const option of ['--workspace', '--since', '--resource', '--limit'])
    expect(wrong.stderr).toContain(option);
  const nobody = '00000000-0000-0000-0000-000000000000';
  const unknown = await kundebokHere(['changes', '--workspace', nobody], settings);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    `There is no workspace ${nobody}: see kundebok workspace list\n`,
  ]);
});

test('contact erase erases for good, with an entry of its own; an unknown contact is reported', async () => {
  const { id: workspace, client, contact } = await world.workspace();
  const { id } = await contact();
  const cursor = (await client.get('/changes?cursor=now')).body.page.next_cursor;
  const args = ['contact', 'erase', id, '--workspace', workspace];
  expect(await kundebokJson(args, settings)).toEqual({ erased: id });
  expect((await client.get(`/contacts/${id}`)).status).toBe(404);
  expect((await client.get(`/changes?cursor=${cursor}`)).body.data).toMatchObject([
    { resource: 'contact', action: 'erased', actor: { kind: 'command', id: 'contact erase' } },
  ]);
  const { code, stderr } = await kundebokHere(args, settings);
  expect([code, stderr]).toEqual([1, `Workspace ${workspace} has no contact ${id}\n`]);
});

test('company timeline shows the entries that the API shows, of a deleted company too', async () => {
  const { id: workspace, client, company, deleteCompany } = await world.workspace();
  const { orgnr } = await company();
  await client.post(`/companies/${orgnr}/notes`, { text: 'Hei' });
  const { data } = (await client.get(`/companies/${orgnr}/timeline`)).body;
  await deleteCompany(orgnr);
  const args = ['company', 'timeline', orgnr, '--workspace', workspace];
  expect(await kundebokJson(args, settings)).toEqual(data);
});

test('company timeline shows as many entries as it is asked for, however long their texts are', async () => {
  const { id: workspace, client, company } = await world.workspace();
  const { orgnr } = await company();
  const text = 'æ'.repeat(20_000);
  // One more than fit on a page of the API.
  for (let n = 0; n < 26; n++) await client.post(`/companies/${orgnr}/notes`, { text });
  const args = ['company', 'timeline', orgnr, '--workspace', workspace, '--limit'];
  const count = async (limit: string) =>
    (await kundebokJson([...args, limit], settings, kundebokHere)).length;
  expect([await count('26'), await count('100')]).toEqual([26, 27]);
});
