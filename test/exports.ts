import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createFile } from '../src/cli/new-file.ts';
import { connect } from '../src/db/connect.ts';
import { importWorkspace } from '../src/export/import.ts';
import { exportWorkspace } from '../src/export/write.ts';
import { TEXTS } from './corpora.ts';
import { kundebokJson, ownDatabase } from './service.ts';
import type { Workspace, World } from './world.ts';

/** What tests of exports need, on the database of a world. */
export async function openExports(world: World) {
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

  /** Another installation, to import into. */
  async function elsewhere() {
    const url = await ownDatabase();
    const there = connect({ url, connections: 2, onIdleError: () => {} });
    const end = () => there.close();
    const server = await world.start({ url });
    const imported = (path: string, workspace?: string) =>
      importWorkspace(there, path, { workspace, signal });
    const keyFor = async (workspace: Workspace) => {
      const { key_id: _, key } = await kundebokJson(
        ['key', 'create', '--workspace', workspace.id, '--user', workspace.owner.id, '--permissions', 'all'],
        { DATABASE_URL: url },
      );
      return server.client(key);
    };
    return { url, db: there, end, imported, keyFor };
  }

  return { folder, signal, db, exported, elsewhere };
}

/** A workspace with something of each kind. */
export async function furnish(world: World): Promise<Workspace> {
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
export async function everything({ get }: { get: Workspace['client']['get'] }) {
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
