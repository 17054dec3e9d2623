import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everything, furnish, openExports } from '../../test/exports.ts';
import { endWithFile } from '../../test/service.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { createFile } from '../cli/new-file.ts';
import { listStatements } from '../db/statement.ts';
import { READERS } from './read.ts';
import { exportWorkspace } from './write.ts';

endWithFile();
const world = await createWorld();
const { folder, signal, db, exported, elsewhere } = await openExports(world);

test('an export has the shapes of the API, and holds what lists leave out', async () => {
  const workspace = await furnish(world);
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

test('an export reads every table of a workspace except those in NOT_EXPORTED', async () => {
  const texts = Object.values(READERS).map(({ page }) => page.text);
  const tables = await world.query(
    "select table_name::text as table from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id' order by 1",
  );
  const isRead = (table: string) => texts.some((text) => new RegExp(`from "?${table}"? as`).test(text));
  expect(tables.map(({ table }) => table).filter((table) => !isRead(table))).toEqual(NOT_EXPORTED);
});

/** Counts and copies, which an import makes itself; what is of no use elsewhere. */
const COLUMNS_NOT_EXPORTED = [
  'contact_companies.contact_name',
  'contact_companies.contact_updated_at',
  'contact_companies.created_at',
  'contact_points.created_at',
  'contacts.link_count',
  'contacts.ordered_version',
  'contacts.point_count',
  'memberships.joined_at',
  'memberships.last_used_at',
];

const textsOf = (command: 'export' | 'import') =>
  listStatements().flatMap(({ title, text }) => (title.startsWith(`${command} `) ? [text] : []));
const aliasIn = (text: string, table: string) => new RegExp(`from "?${table}"? as (\\w+)`).exec(text)?.[1];

test('an export reads and an import writes every column of these tables but COLUMNS_NOT_EXPORTED', async () => {
  const columns = await world.query(
    `select table_name::text as table, column_name::text as column from information_schema.columns
     where table_schema = 'public' and is_generated = 'NEVER' and column_name not in ('tenant_id', 'version')`,
  );
  const [reads, writes] = [textsOf('export'), textsOf('import')];
  const missing = columns.filter(({ table, column }) => {
    const reading = reads.filter((text) => aliasIn(text, table));
    const isRead = (text: string) => new RegExp(`\\b${aliasIn(text, table)}"?\\."?${column}\\b`).test(text);
    const written = new RegExp(`insert into "?${table}"?\\s+\\([^)]*\\b${column}\\b`);
    return reading.length > 0 && !(reading.some(isRead) && writes.some((text) => written.test(text)));
  });
  expect(
    missing.map(({ table, column }) => `${table}.${column}`).toSorted(),
    'name a new column in src/export/read.ts and insert.ts, or in COLUMNS_NOT_EXPORTED',
  ).toEqual(COLUMNS_NOT_EXPORTED);
});

test('an export is of one moment: what is written while it is made is not in it, nor are people who join', async () => {
  const workspace = await furnish(world);
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

/** Passes on what an export writes; before each part, adds a person, and a company and a task that refer to them. */
async function* meanwhile(data: string | AsyncIterable<string>, workspace: Workspace) {
  for await (const part of typeof data === 'string' ? [data] : data) {
    const { id } = await workspace.addMember();
    await workspace.company({ assigned_to: id });
    await workspace.task({ user_id: id });
    yield part;
  }
}
