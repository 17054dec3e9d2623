// Keeps a copy of the companies, contacts and offers of a workspace in a SQLite file, as accounting needs them.
//
//   CRM_ADDRESS=http://127.0.0.1:3000/api/v1 CRM_KEY=kb_… node accounting-copy.ts copy.db [--live]   (Node 24.2 or later)
//
// Nightly it reads what has changed since the last time and ends; with --live it goes on. It may be stopped at any
// moment: rows and the cursor that says how far they go are stored in one transaction.
import { DatabaseSync } from 'node:sqlite';
import { CrmError, crmFromEnvironment, expectData, type Crm, type Schemas } from './crm.ts';

type Row = { resource: keyof typeof LISTS; id: string; body: { id: string } | undefined };

/** How everything is read, page by page; an empty cursor asks for the first page. */
const LISTS = {
  company: (crm: Crm, cursor: string) =>
    expectData(crm.GET('/companies', { params: { query: { cursor, limit: 100 } } })),
  contact: (crm: Crm, cursor: string) =>
    expectData(crm.GET('/contacts', { params: { query: { cursor, limit: 100, include: 'points,links' } } })),
  offer: (crm: Crm, cursor: string) =>
    expectData(crm.GET('/offers', { params: { query: { cursor, limit: 100 } } })),
};

export function openCopy(file: string): DatabaseSync {
  const copy = new DatabaseSync(file, { timeout: 5000 });
  copy.exec(`
    pragma journal_mode = wal;
    create table if not exists rows (
      resource text, id text, body text not null, primary key (resource, id)
    ) strict;
    create table if not exists progress (id integer primary key check (id = 1), cursor text not null) strict;
  `);
  return copy;
}

/**
 * Brings the copy one step nearer to the workspace.
 * @param wait seconds to wait for a change when there is none
 * @returns whether there is more to read already
 */
export async function catchUp(crm: Crm, copy: DatabaseSync, wait = 0): Promise<boolean> {
  const progress = copy.prepare('select cursor from progress').get() as { cursor: string } | undefined;
  if (progress === undefined) return readEverything(crm, copy);

  const query = { cursor: progress.cursor, limit: 1000, wait };
  const { data: changes, error, response } = await crm.GET('/changes', { params: { query } });
  // The cursor is older than the changes that are kept, or the workspace was restored from a backup.
  if (error?.code === 'cursor_expired') return readEverything(crm, copy);
  if (changes === undefined) throw new CrmError(response, error);

  // What has changed ten times is read once, as it is now; changes made meanwhile come with the next cursor.
  const changed = new Map(changes.data.map((change) => [nameOf(change), change]));
  const rows: Row[] = [];
  for (const change of changed.values()) {
    const row = await readOne(crm, change);
    if (row) rows.push(row);
  }
  copy.exec('begin immediate');
  for (const row of rows) store(copy, row);
  moveTo(copy, changes.page.next_cursor);
  copy.exec('commit');
  return changes.page.has_more;
}

/** The first read, in one transaction, so that others see the old copy until the new one is whole. */
async function readEverything(crm: Crm, copy: DatabaseSync): Promise<boolean> {
  // First the cursor at which changes end now: what changes while the lists are read is read again from there.
  const query = { cursor: 'now' };
  const { page } = await expectData(crm.GET('/changes', { params: { query } }));
  copy.exec('begin immediate');
  try {
    copy.exec('delete from rows');
    for (const resource of ['company', 'contact', 'offer'] as const) {
      for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
        const list: Awaited<ReturnType<(typeof LISTS)[typeof resource]>> = await LISTS[resource](crm, cursor);
        for (const body of list.data) store(copy, { resource, id: body.id, body });
        cursor = list.page.next_cursor;
      }
    }
    moveTo(copy, page.next_cursor);
    copy.exec('commit');
  } catch (error) {
    copy.exec('rollback');
    throw error;
  }
  return true;
}

/** What a change is about; a detail or link of a contact is part of the contact's row. */
function nameOf({ resource, resource_id, contact_id }: Schemas['Change']): string {
  return contact_id ?? `${resource} ${resource_id}`;
}

/** What a change is about, as it is now; `body` is undefined when it is gone. */
async function readOne(crm: Crm, change: Schemas['Change']): Promise<Row | undefined> {
  const { resource, resource_id: id, orgnr, contact_id } = change;
  if (resource === 'company' && orgnr !== null) {
    const call = expectData(crm.GET('/companies/{orgNr}', { params: { path: { orgNr: orgnr } } }));
    const found = (await unlessGone(call))?.data;
    // A company that was removed and added again has another id.
    return { resource, id, body: found?.id === id ? found : undefined };
  }
  if (resource === 'offer') {
    const call = expectData(crm.GET('/offers/{id}', { params: { path: { id } } }));
    return { resource, id, body: (await unlessGone(call))?.data };
  }
  if (contact_id === null) return undefined; // a note or a task
  const params = { path: { id: contact_id } };
  const call = Promise.all([
    expectData(crm.GET('/contacts/{id}', { params })),
    expectData(crm.GET('/contacts/{id}/points', { params })),
    expectData(crm.GET('/contacts/{id}/companies', { params })),
  ]);
  const found = await unlessGone(call);
  const body = found && { ...found[0].data, points: found[1].data, links: found[2].data };
  return { resource: 'contact', id: contact_id, body };
}

/** Undefined for what the code says is gone: a 404 alone may also come from a proxy while the service is away. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function store(copy: DatabaseSync, { resource, id, body }: Row): void {
  if (body === undefined) {
    copy.prepare('delete from rows where resource = ? and id = ?').run(resource, id);
  } else {
    copy.prepare('insert or replace into rows values (?, ?, ?)').run(resource, id, JSON.stringify(body));
  }
}

function moveTo(copy: DatabaseSync, cursor: string): void {
  copy.prepare('insert or replace into progress values (1, ?)').run(cursor);
}

if (import.meta.main) {
  const [file = 'copy.db', mode] = process.argv.slice(2);
  const [crm, copy] = [crmFromEnvironment(), openCopy(file)];
  if (mode === '--live') for (;;) await catchUp(crm, copy, 30);
  while (await catchUp(crm, copy));
}
