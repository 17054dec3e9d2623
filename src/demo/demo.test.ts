import { afterAll, expect, test } from 'vitest';
import { endWithFile, kundebok, kundebokHere, kundebokJson } from '../../test/service.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { addDemo } from './add.ts';
import { removeDemo } from './remove.ts';
import { REFERENCES } from './store.ts';

const world = await createWorld();
const settings = { DATABASE_URL: world.databaseUrl };
const db = connect({ url: world.databaseUrl, connections: 4, onIdleError: () => {} });
afterAll(() => db.close());
endWithFile();

/** Tables that a demo writes to, and those it must leave alone. */
const TABLES =
  'memberships companies contacts contact_points contact_companies timeline_entries tasks offers api_keys demo_data'.split(
    ' ',
  );

const fill = (workspace: Workspace, allowExisting = false) =>
  addDemo(db, workspace.id, { seed: 1, allowExisting });
const remove = (workspace: Workspace) => removeDemo(db, workspace.id);

/** Every row of a workspace, by table. */
async function rowsOf(workspace: Workspace): Promise<Record<string, object[]>> {
  const entries = TABLES.map(async (table) => {
    const rows = await world.query(
      `select to_jsonb(t) - 'id' || jsonb_build_object('id', to_jsonb(t) -> 'id') as row from ${table} t where tenant_id = $1 order by to_jsonb(t)::text`,
      [workspace.id],
    );
    return [table, rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** One row of figures. */
async function figures(workspace: Workspace, text: string) {
  return (await world.query(text, [workspace.id]))[0];
}

/** The content of a demo, without ids and names of people. */
function story(workspace: Workspace) {
  return figures(
    workspace,
    `select jsonb_build_array(
         (select jsonb_agg(jsonb_build_array(orgnr, status, created_at) order by created_at, orgnr) from companies where tenant_id = $1),
         (select jsonb_agg(jsonb_build_array(content, created_at) order by created_at, content::text) from timeline_entries where tenant_id = $1),
         (select jsonb_agg(jsonb_build_array(title, due_date, completed) order by due_date, title, created_at) from tasks where tenant_id = $1),
         (select jsonb_agg(jsonb_build_array(title, status, recurring_revenue) order by created_at, title, status) from offers where tenant_id = $1)) as told`,
  );
}

test('a workspace gets half a year of work, and the counts match its rows', async () => {
  const workspace = await world.workspace();
  const counts = await kundebokJson(['demo', '--workspace', workspace.id], settings);
  expect(counts).toMatchObject({ members: 3, companies: 60 });
  for (const [name, least] of Object.entries({
    contacts: 60,
    points: 100,
    links: 60,
    notes: 150,
    tasks: 60,
    offers: 30,
  }))
    expect(counts[name]).toBeGreaterThan(least);
  const rows = await rowsOf(workspace);
  expect(counts).toEqual({
    members: rows['memberships']!.length - 2,
    companies: rows['companies']!.length,
    contacts: rows['contacts']!.length,
    points: rows['contact_points']!.length,
    links: rows['contact_companies']!.length,
    notes: rows['timeline_entries']!.length,
    tasks: rows['tasks']!.length,
    offers: rows['offers']!.length,
  });
});

test('the API serves the rows of a demo like any others', async () => {
  const workspace = await world.workspace();
  await fill(workspace);
  const companies = await workspace.client.get('/companies?limit=100');
  expect(companies.body.data).toHaveLength(59);
  for (const { orgnr } of companies.body.data.slice(0, 5)) {
    expect((await workspace.client.get(`/companies/${orgnr}`)).status).toBe(200);
    expect((await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' })).status).toBe(200);
  }
  const [{ tasks, offers, contacts }] = await world.query(
    `select (select array_agg(id) from tasks where tenant_id = $1) tasks,
            (select array_agg(id) from offers where tenant_id = $1) offers,
            (select array_agg(id) from contacts where tenant_id = $1) contacts`,
    [workspace.id],
  );
  // The client compares each answer with the description of the API.
  for (const id of tasks.slice(0, 20)) expect((await workspace.client.get(`/tasks/${id}`)).status).toBe(200);
  for (const id of offers.slice(0, 20))
    expect((await workspace.client.get(`/offers/${id}`)).status).toBe(200);
  for (const id of contacts.slice(0, 10)) {
    for (const path of ['', '/points', '/companies'])
      expect((await workspace.client.get(`/contacts/${id}${path}`)).status).toBe(200);
  }
});

test('a demo looks like work: every status, overdue and coming tasks, authors, spread over the half year', async () => {
  const workspace = await world.workspace();
  // The day may end while the demo is added.
  const day = Temporal.Now.plainDateISO('Europe/Oslo').toString();
  await fill(workspace);
  expect(
    await figures(
      workspace,
      `select count(distinct status)::int statuses, count(*) filter (where is_archived)::int archived,
              count(*) filter (where is_deleted)::int deleted, count(distinct assigned_to)::int assignees,
              bool_and(source = 'demo') as all_demo, bool_and(updated_at >= created_at) as in_order,
              min(created_at) < now() - interval '5 months' as goes_back, max(created_at) < now() as is_past
         from companies where tenant_id = $1`,
    ),
  ).toEqual({
    statuses: 5,
    archived: 4,
    deleted: 1,
    assignees: 5,
    all_demo: true,
    in_order: true,
    goes_back: true,
    is_past: true,
  });
  const tasks = await figures(
    workspace,
    `select count(*) filter (where completed)::int done,
            count(*) filter (where not completed and due_date < current_date)::int overdue,
            count(*) filter (where not completed and (due_date at time zone 'Europe/Oslo')::date in ('${day}', (now() at time zone 'Europe/Oslo')::date))::int today,
            count(*) filter (where not completed and due_date > now() + interval '1 day')::int coming,
            count(*) filter (where not has_time_specified)::int days, count(distinct user_id)::int people,
            count(*) filter (where created_at > now() or updated_at < created_at or updated_at > now())::int odd
       from tasks where tenant_id = $1`,
  );
  expect(tasks).toMatchObject({ odd: 0, people: 5 });
  for (const kind of ['done', 'overdue', 'today', 'coming', 'days']) expect(tasks[kind]).toBeGreaterThan(2);
  expect(
    await figures(
      workspace,
      `select count(distinct status)::int statuses, count(distinct recurring_frequency)::int frequencies,
              bool_and(one_time_revenue + recurring_revenue > 0) as worth, max(created_at) < now() as is_past
         from offers where tenant_id = $1`,
    ),
  ).toEqual({ statuses: 5, frequencies: 3, worth: true, is_past: true });
  expect(
    await figures(
      workspace,
      `select count(distinct user_id)::int authors, count(distinct date_trunc('month', n.created_at))::int >= 6 as months,
              bool_and(n.created_at >= c.created_at and n.created_at < now()) as in_order,
              bool_and(n.id > 0) and array_agg(n.id order by n.id) = array_agg(n.id order by n.created_at, n.id) as ids_by_age
         from timeline_entries n join companies c on c.tenant_id = n.tenant_id and c.id = n.company_id where n.tenant_id = $1`,
    ),
  ).toEqual({ authors: 5, months: true, in_order: true, ids_by_age: true });
  const points = await world.query('select type, value from contact_points where tenant_id = $1', [
    workspace.id,
  ]);
  for (const { type, value } of points) {
    expect(value).toMatch(type === 'email' || type === 'other' ? /^[a-z.]+@example\.no$/ : /^00[ 0]/);
  }
});

test('the same seed and day give the same data, another seed or day gives other data', async () => {
  const today = Temporal.PlainDate.from('2026-11-21');
  const [one, same, other, later] = await Promise.all([1, 1, 2, 1].map(() => world.workspace()));
  for (const [workspace, seed] of [
    [one, 1],
    [same, 1],
    [other, 2],
  ] as const)
    await addDemo(db, workspace!.id, { seed, allowExisting: false, today });
  await addDemo(db, later!.id, { seed: 1, allowExisting: false, today: today.add({ days: 10 }) });
  expect(await story(same!)).toEqual(await story(one!));
  expect(await story(other!)).not.toEqual(await story(one!));
  expect(await story(later!)).not.toEqual(await story(one!));
});

test('a workspace with companies is refused unless allowed, and its companies are not changed', async () => {
  const workspace = await world.workspace();
  const equinor = await workspace.company({ orgnr: '923609016', status: 'disqualified' });
  const refused = await kundebok(['demo', '--workspace', workspace.id, '--json'], settings);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(JSON.parse(refused.stderr).error).toContain('has companies already');
  expect((await rowsOf(workspace))['memberships']).toHaveLength(2);
  expect(await fill(workspace, true)).toMatchObject({ companies: 60 });
  expect((await workspace.client.get('/companies/923609016')).body.data).toEqual(equinor);
});

test('of two runs at the same time, only one fills the workspace', async () => {
  const workspace = await world.workspace();
  const runs = await Promise.allSettled(
    [1, 2].map((seed) => addDemo(db, workspace.id, { seed, allowExisting: true })),
  );
  expect(runs.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(fill(workspace)).rejects.toThrow('has demo data already');
  expect((await rowsOf(workspace))['companies']).toHaveLength(60);
});

test('removing takes away all that was added and nothing else', async () => {
  const [workspace, other] = [await world.workspace(), await world.workspace()];
  const company = await workspace.company();
  await workspace.offer({ company_id: company.id });
  await workspace.task({ related_company_id: company.id });
  await workspace.contact();
  const before = await rowsOf(workspace);
  await fill(other);
  const others = await rowsOf(other);
  const added = await fill(workspace, true);
  expect(await kundebokJson(['demo', '--remove', '--workspace', workspace.id], settings)).toEqual({
    ...added,
    kept_companies: 0,
    kept_contacts: 0,
    kept_members: 0,
  });
  expect(await rowsOf(workspace)).toEqual(before);
  expect(await rowsOf(other)).toEqual(others);
  await remove(other);
  expect(
    await world.query(
      'select email from users where not exists (select from memberships where user_id = users.id)',
    ),
  ).toEqual([]);
  await expect(remove(workspace)).rejects.toThrow('has no demo data');
});

test('what somebody did with the demo stays, and so does what it refers to', async () => {
  const workspace = await world.workspace();
  await fill(workspace);
  const { data } = (await workspace.client.get('/companies?limit=3')).body;
  const contact = (
    await world.query('select id from contacts where tenant_id = $1 limit 1', [workspace.id])
  )[0];
  const silje = (await workspace.client.get('/users?email=silje.bakken@example.no')).body.data[0];
  await workspace.key(['tasks:read'], { user: silje });
  const note = await workspace.client.post(`/companies/${data[0].orgnr}/notes`, { text: 'Min' });
  const offer = await workspace.offer({ company_id: data[1].id });
  const task = await workspace.task({ related_company_id: data[2].id, user_id: silje.id });
  const point = await workspace.client.post(`/contacts/${contact.id}/points`, {
    type: 'email',
    value: 'min@example.no',
  });
  expect([note.status, point.status]).toEqual([201, 201]);
  const { etag } = (await workspace.client.get(`/contacts/${contact.id}`)).headers;

  expect(await remove(workspace)).toMatchObject({
    companies: 57,
    kept_companies: 3,
    kept_contacts: 1,
    kept_members: expect.toSatisfy((count) => count >= 1),
  });
  const rows = await rowsOf(workspace);
  expect(rows['contact_points']).toHaveLength(1);
  expect(rows['contacts']).toMatchObject([{ id: contact.id, point_count: 1, link_count: 0 }]);
  expect(rows['timeline_entries']).toHaveLength(1);
  expect((await workspace.client.get(`/contacts/${contact.id}`)).headers.etag).not.toBe(etag);
  expect((await workspace.client.get(`/offers/${offer.id}`)).body.data).toEqual(offer);
  expect((await workspace.client.get(`/tasks/${task.id}`)).body.data).toEqual(task);
  expect((await workspace.client.get('/users')).body.data).toHaveLength(2);
  expect(await fill(workspace, true)).toMatchObject({ companies: 60, members: 3 });
});

test('nothing is left of a demo that failed while it was added', async () => {
  const workspace = await world.workspace();
  const before = await rowsOf(workspace);
  await world.query("alter table offers add constraint none_of_demo check (title !~ 'lisens') not valid");
  await expect(fill(workspace)).rejects.toThrow('none_of_demo');
  await world.query('alter table offers drop constraint none_of_demo');
  expect(await rowsOf(workspace)).toEqual(before);
});

test('a workspace that does not exist and options that do not fit are reported', async () => {
  const nobody = '00000000-0000-0000-0000-000000000000';
  const told = async (...args: string[]) => {
    const { code, stderr } = await kundebokHere(['demo', '--workspace', nobody, ...args], settings);
    return [code, stderr.trim()];
  };
  expect(await Promise.all([told(), told('--seed', 'x'), told('--remove', '--allow-existing')])).toEqual([
    [1, `There is no workspace ${nobody}: see kundebok workspace list`],
    [2, expect.stringContaining('--seed must be')],
    [2, expect.stringContaining('either')],
  ]);
});

test('every reference to a company, a contact or a member is one that removal looks at', async () => {
  const found = await world.query(
    `select confrelid::regclass::text as to, conrelid::regclass::text as from, attname as column
       from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[2]
      where contype = 'f' and confrelid = any(array['companies', 'contacts', 'memberships']::regclass[])`,
  );
  const known = Object.entries(REFERENCES).flatMap(([to, columns]) =>
    Object.entries(columns).map(([from, column]) => ({ to, from, column })),
  );
  expect(new Set(found.map((entry) => JSON.stringify(entry)))).toEqual(
    new Set(known.map((entry) => JSON.stringify(entry))),
  );
});
