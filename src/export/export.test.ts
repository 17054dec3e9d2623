import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TEXTS } from '../../test/corpora.ts';
import { openClient } from '../../test/database.ts';
import { endWithFile, kundebok, kundebokJson, ownDatabase } from '../../test/service.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { createFile } from '../cli/new-file.ts';
import { connect } from '../db/connect.ts';
import { importWorkspace } from './import.ts';
import { READERS } from './read.ts';
import { exportWorkspace } from './write.ts';

endWithFile();
const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-export-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
afterAll(() => db.close());
let files = 0;

async function exported(workspace: string, on = db) {
  const path = join(folder, `${++files}.jsonl`);
  const counts = await createFile(path, (file) => exportWorkspace(on, workspace, file, signal));
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return { path, counts, lines, rows: lines.slice(1, -1).map((line) => JSON.parse(line)) };
}

/** Another installation. */
async function elsewhere() {
  const url = await ownDatabase();
  const there = connect({ url, connections: 2, onIdleError: () => {} });
  const end = () => there.close();
  const server = await world.start({ url });
  const imported = (path: string, workspace?: string) => importWorkspace(there, path, { workspace, signal });
  const keyFor = async (workspace: Workspace) => {
    const { key_id: _, key } = await kundebokJson(
      ['key', 'create', '--workspace', workspace.id, '--user', workspace.owner.id, '--permissions', 'all'],
      { DATABASE_URL: url },
    );
    return server.client(key);
  };
  return { url, db: there, end, imported, keyFor };
}

/** A workspace with something of each kind. */
async function furnish(): Promise<Workspace> {
  const workspace = await world.workspace();
  const { client, owner, member } = workspace;
  const company = await workspace.company({
    status: 'customer',
    assigned_to: owner.id,
    phone_number: '51 99 00 00',
  });
  await client.patch(`/companies/${company.orgnr}`, { status: 'lead', assigned_to: member.id });
  await client.post(`/companies/${company.orgnr}/notes`, { text: TEXTS.join('\n') });
  const contact = await workspace.contact({ name: 'Åse Ødegård', notes: 'x' });
  await client.post(`/contacts/${contact.id}/points`, { type: 'email', value: 'ase@example.no' });
  await client.post(`/contacts/${contact.id}/companies`, { company_id: company.id, role: 'Leder' });
  const erased = await workspace.contact({ name: 'Borte Vekk' });
  await client.send({ method: 'DELETE', path: `/contacts/${erased.id}` });
  const task = await workspace.task({ related_company_id: company.id, user_id: member.id });
  await client.patch(`/tasks/${task.id}`, { completed: true });
  await workspace.offer({ company_id: company.id });
  const deleted = await workspace.company();
  await workspace.deleteCompany(deleted.orgnr);
  await workspace.removeMember(member);
  return workspace;
}

/** What the API says of a workspace. */
async function everything({ get }: { get: Workspace['client']['get'] }) {
  const paths = [
    '/companies?cursor=',
    '/contacts?include=points,links',
    '/notes',
    '/tasks',
    '/offers',
    '/users',
  ];
  const lists = await Promise.all(paths.map(async (path) => (await get(path)).body.data));
  const timelines = await Promise.all(
    lists[0].map(
      async ({ orgnr }: { orgnr: string }) => (await get(`/companies/${orgnr}/timeline`)).body.data,
    ),
  );
  return [...lists, ...timelines];
}

test('an export has the shapes of the API, and holds what lists leave out', async () => {
  const workspace = await furnish();
  const { lines, rows, counts, path } = await exported(workspace.id);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    format: 'kundebok workspace',
    workspace: { id: workspace.id },
  });
  expect(JSON.parse(lines.at(-1)!)).toEqual({ end: true, counts });
  expect(counts).toEqual({
    user: 2,
    company: 2,
    contact: 1,
    erased_contact: 1,
    timeline_entry: 5,
    task: 1,
    offer: 1,
  });
  const of = (kind: string) => rows.filter(({ resource }) => resource === kind).map(({ data }) => data);
  const [companies, contacts, notes, tasks, offers] = await everything(workspace.client);
  expect(of('company').filter((row) => !row.is_deleted)).toEqual(companies);
  expect([of('contact'), of('task'), of('offer')]).toEqual([contacts, tasks, offers]);
  expect(of('timeline_entry').filter(({ type }) => type === 'add_comment')).toEqual(notes);
  expect(lines.join('\n')).not.toContain('Borte Vekk');
});

/** Keys, sessions and links; the change log; what an import writes again; what is of no use elsewhere. */
const NOT_EXPORTED = [
  'api_keys',
  'change_counters',
  'changes',
  'company_words',
  'contact_words',
  'deleted_rows',
  'demo_data',
  'import_rows',
  'imports',
  'key_use',
  'offer_words',
  'remembered_answers',
  'sessions',
  'task_words',
  'welcome_links',
];

test('an export reads every table of a workspace, but for these', async () => {
  const texts = Object.values(READERS).map(({ page }) => page.text);
  const tables = await world.query(
    "select table_name::text as table from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id' order by 1",
  );
  const isRead = (table: string) => texts.some((text) => new RegExp(`from "?${table}"? as`).test(text));
  expect(tables.map(({ table }) => table).filter((table) => !isRead(table))).toEqual(NOT_EXPORTED);
});

test('an export is of one moment: what is written while it is made is not in it, people neither', async () => {
  const workspace = await furnish();
  const { counts } = await exported(workspace.id);
  const path = join(folder, 'one-moment.jsonl');
  const made = await createFile(path, (file) => {
    const write = file.writeFile.bind(file);
    const writeFile = (data: string | AsyncIterable<string>) => write(meanwhile(data, workspace));
    return exportWorkspace(db, workspace.id, Object.assign(file, { writeFile }), signal);
  });
  expect(made).toEqual(counts);
  const other = await elsewhere();
  expect(await other.imported(path)).toMatchObject({ added: counts });
  await other.end();
});

/** What an export writes, each part after a person was added, and what refers to them. */
async function* meanwhile(data: string | AsyncIterable<string>, workspace: Workspace) {
  for await (const part of typeof data === 'string' ? [data] : data) {
    const { id } = await workspace.addMember();
    await workspace.company({ assigned_to: id });
    await workspace.task({ user_id: id });
    yield part;
  }
}

test('an import into another installation keeps ids, and a second one changes nothing', async () => {
  const workspace = await furnish();
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

test('people are the same by their address; an import into another workspace beside what it holds', async () => {
  const workspace = await furnish();
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

test('what was imported is found by search as what was written here', async () => {
  const [source, target] = [await furnish(), await world.workspace()];
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
  const workspace = await furnish();
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
  const id = crypto.randomUUID();
  expect(
    await refused(replaced('task', /"related_company_id":"[^"]+"/, `"related_company_id":"${id}"`)),
  ).toMatch(/between lines 13 and 13: .*tasks_related_company/);
  await using client = await openClient(other.url);
  expect((await client.query('select from workspaces')).rowCount).toBe(0);
  for (const path of [join(folder, 'none'), folder]) {
    const { stderr } = await kundebok(['import', path], { DATABASE_URL: other.url });
    expect(stderr).toContain(`${path} cannot be read`);
  }
  await other.end();
});

test('what a file of an older release does not have gets its default', async () => {
  const source = await furnish();
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
  const workspace = await furnish();
  const { path } = await exported(workspace.id);
  const target = await world.workspace();
  const { orgnr } = (await workspace.client.get('/companies')).body.data[0];
  await target.client.post('/companies', { orgnr });
  await expect(importWorkspace(db, path, { workspace: target.id, signal })).rejects.toThrow(
    'The workspace has used the id or number of the company',
  );
  expect((await target.client.get('/contacts')).body.data).toEqual([]);
});
