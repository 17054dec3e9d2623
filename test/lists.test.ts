import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { inOrderOf, walk } from './walk.ts';
import type { Workspace } from './workspace.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

// oxlint-disable-next-line typescript/no-explicit-any -- rows of two resources
type Row = any;

const ROWS = 240;
const SINCE = '2026-03-02T00:00:03.000Z';
const STATUSES = ['new', 'sent', 'negotiating', 'accepted', 'rejected'];

let workspace: Workspace;
let company: string;
let tasks: Row[];
let offers: Row[];

beforeAll(async () => {
  workspace = await world.workspace();
  const { owner, member } = workspace;
  company = (await workspace.company()).id;
  const other = (await workspace.company()).id;
  // Many rows share a value, so that ids have to break ties.
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    id: randomUUIDv7(),
    user_id: n % 3 === 0 ? owner.id : member.id,
    company_id: n % 4 === 0 ? company : other,
    completed: n % 5 === 0,
    status: STATUSES[n % 5],
    due_date: `2026-02-0${(n % 7) + 1}T12:00:00.000Z`,
    updated_at: `2026-03-02T00:00:0${(n * 3) % 7}.000Z`,
  }));
  await world.query(
    `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id, related_company_id, completed, updated_at)
     select $1, id, 'Ring', due_date, true, user_id, company_id, completed, updated_at
     from json_populate_recordset(null::record, $2) as (id uuid, user_id uuid, company_id uuid, completed boolean, status text, due_date timestamptz, updated_at timestamptz)`,
    [workspace.id, JSON.stringify(rows)],
  );
  await world.query(
    `insert into offers (tenant_id, id, title, user_id, company_id, status, one_time_revenue, recurring_revenue, recurring_frequency, weight, updated_at)
     select $1, id, 'Avtale', user_id, company_id, status, 0, 0, 'monthly', 100, updated_at
     from json_populate_recordset(null::record, $2) as (id uuid, user_id uuid, company_id uuid, completed boolean, status text, due_date timestamptz, updated_at timestamptz)`,
    [workspace.id, JSON.stringify(rows)],
  );
  tasks = rows;
  offers = rows;
  // Rows of another workspace are in no list of this one.
  const stranger = await world.workspace();
  await stranger.task();
  await stranger.offer();
});

const passes: Record<string, (row: Row) => boolean> = {
  '': () => true,
  user_id: (row) => row.user_id === workspace.owner.id,
  company_id: (row) => row.company_id === company,
  'completed=true': (row) => row.completed,
  'completed=false': (row) => !row.completed,
  'status=accepted': (row) => row.status === 'accepted',
  'due_from=2026-02-03T12:00:00Z': (row) => row.due_date >= '2026-02-03T12:00:00.000Z',
  'due_before=2026-02-03T13:00:00%2B01:00': (row) => row.due_date < '2026-02-03T12:00:00.000Z',
  [`updated_since=${SINCE}`]: (row) => row.updated_at >= SINCE,
};

/** The query for names of `passes`: those without a value get one of the workspace. */
function queryOf(names: readonly string[]): string {
  const values: Record<string, string> = { user_id: workspace.owner.id, company_id: company };
  return names.map((name) => (name in values ? `${name}=${values[name]}` : name)).join('&');
}

const TASK_FILTERS = Object.keys(passes).filter((name) => !name.startsWith('status'));
const OFFER_FILTERS = ['', 'user_id', 'company_id', 'status=accepted', `updated_since=${SINCE}`];

describe.each([
  { path: '/tasks', sorts: ['id', 'due_date', 'updated_at', '-updated_at'], filters: TASK_FILTERS },
  { path: '/offers', sorts: ['id', 'updated_at', '-updated_at'], filters: OFFER_FILTERS },
])('GET $path', ({ path, sorts, filters }) => {
  const rows = () => (path === '/tasks' ? tasks : offers);

  test.each(filters)('has every row once and in order, with each sort, where %s', async (filter) => {
    for (const sort of sorts) {
      const expected = rows().filter(passes[filter]!).toSorted(inOrderOf(sort));
      expect(expected.length).toBeGreaterThan(20);
      const read = await walk(workspace.client, `${path}?sort=${sort}&${queryOf([filter])}`, 37);
      expect([sort, read.map(({ id }) => id)]).toEqual([sort, expected.map(({ id }) => id)]);
    }
  });

  test('combines filters, each pair of them', async () => {
    for (const [index, one] of filters.entries()) {
      for (const other of filters.slice(index + 1)) {
        if (one === '' || one.split('=')[0] === other.split('=')[0]) continue;
        const sort = sorts[index % sorts.length]!;
        const expected = rows()
          .filter((row) => passes[one]!(row) && passes[other]!(row))
          .toSorted(inOrderOf(sort));
        const read = await walk(workspace.client, `${path}?sort=${sort}&${queryOf([one, other])}`);
        expect([one, other, read.map(({ id }) => id)]).toEqual([one, other, expected.map(({ id }) => id)]);
      }
    }
  });

  test('has 25 rows by id by default, and no next cursor after the last page', async () => {
    const { body } = await workspace.client.get(path);
    expect(body.data.length).toBe(25);
    expect(body.page).toEqual({ size: 25, has_more: true, next_cursor: expect.any(String) });
    const last = await workspace.client.get(`${path}?limit=100&${queryOf(['company_id', 'user_id'])}`);
    expect(last.body.page).toEqual({ size: 100, has_more: false, next_cursor: null });
  });

  test('answers each row like the operation that reads one', async () => {
    const { body } = await workspace.client.get(`${path}?limit=1`);
    const one = await workspace.client.get(`${path}/${body.data[0].id}`);
    expect(body.data[0]).toEqual(one.body.data);
    expect(Object.keys(body.data[0])).toEqual(Object.keys(one.body.data));
  });

  test('is empty for a user or company that does not exist', async () => {
    for (const name of ['user_id', 'company_id']) {
      const { status, body } = await workspace.client.get(`${path}?${name}=${randomUUIDv7()}`);
      expect([status, body]).toEqual([
        200,
        { data: [], page: { size: 25, has_more: false, next_cursor: null } },
      ]);
    }
  });
});

test('rows that nobody touches are read once and in order while others are written', async () => {
  const own = await world.workspace();
  for (let n = 0; n < 12; n += 1) await own.task({ due_date: `2026-02-0${(n % 3) + 1}T12:00:00Z` });
  const moved = await own.task();
  const still = (await walk(own.client, '/tasks')).filter(({ id }) => id !== moved.id);
  const known = new Set(still.map(({ id }) => id));
  for (const sort of ['id', 'due_date', 'updated_at', '-updated_at']) {
    let written = 0;
    const read = await walk(own.client, `/tasks?sort=${sort}`, 2, async () => {
      if (written++ > 5) return;
      await own.task();
      await own.client.patch(`/tasks/${moved.id}`, { title: `Ring ${sort} ${written}` });
    });
    const kept = read.map(({ id }) => id).filter((id) => known.has(id));
    expect([sort, kept]).toEqual([sort, still.toSorted(inOrderOf(sort)).map(({ id }) => id)]);
  }
});

test('the tasks of a deleted company are listed under its id', async () => {
  const own = await world.workspace();
  const { id, orgnr } = await own.company();
  const task = await own.task({ related_company_id: id });
  await own.deleteCompany(orgnr);
  const { body } = await own.client.get(`/tasks?company_id=${id}`);
  expect(body.data.map((row: Row) => row.id)).toEqual([task.id]);
});
