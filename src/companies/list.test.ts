import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { inOrderOf, walk } from '../../test/walk.ts';
import type { Workspace } from '../../test/workspace.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

// oxlint-disable-next-line typescript/no-explicit-any -- companies
type Row = any;

const SINCE = '2026-03-02T00:00:03.000Z';
const NAMES = ['Ås Bygg AS', 'aas vvs', 'Zebra', 'Ærlig', 'Øst', 'Østre', 'ELAN', 'Élan', 'Elån', '1881'];
const STATUSES = ['lead', 'prospect', 'customer'];

let workspace: Workspace;
let rows: Row[];

beforeAll(async () => {
  workspace = await world.workspace();
  const { owner, member } = workspace;
  rows = Array.from({ length: 180 }, (_, n) => ({
    id: randomUUIDv7(),
    orgnr: String(100_000_000 + n),
    name: `${NAMES[(n * 7) % 10]}${n % 2 === 0 ? '' : ` ${n % 30}`}`,
    status: STATUSES[n % 3],
    assigned_to: [owner.id, member.id, null][n % 3],
    is_archived: n % 4 === 0,
    is_deleted: n % 10 === 9,
    updated_at: `2026-03-02T00:00:0${(n * 3) % 7}.000Z`,
  }));
  await world.query(
    `insert into companies (tenant_id, id, orgnr, name, status, assigned_to, source, org_form, registered_at, employees, nace_primary, is_archived, is_deleted, updated_at)
     select $1, id, orgnr, name, status, assigned_to, 'api', 'AS', '2020-01-01', 0, '00.000', is_archived, is_deleted, updated_at
     from json_populate_recordset(null::companies, $2)`,
    [workspace.id, JSON.stringify(rows)],
  );
  rows = rows.filter((row) => !row.is_deleted).toSorted(inOrderOf('id'));
});

const asNorwegian = new Intl.Collator('nb-NO').compare;
const nameThenCodePoint = (one: string, other: string) =>
  asNorwegian(one, other) || (one < other ? -1 : Number(one > other));

test.each<[string, (row: Row) => boolean]>([
  ['cursor=', () => true],
  ['status=lead', (row) => row.status === 'lead'],
  ['assigned_to=none', (row) => row.assigned_to === null],
  ['assigned_to=OWNER', (row) => row.assigned_to === workspace.owner.id],
  ['archived=true', (row) => row.is_archived],
  ['archived=false', (row) => !row.is_archived],
  [`updated_since=${SINCE}`, (row) => row.updated_at >= SINCE],
  ['status=customer&archived=false', (row) => row.status === 'customer' && !row.is_archived],
  [`archived=true&updated_since=${SINCE}`, (row) => row.is_archived && row.updated_at >= SINCE],
])('%s lists the companies that match, in order, with each sort', async (filter, passes) => {
  const query = filter.replace('OWNER', workspace.owner.id).replace('cursor=', '');
  for (const sort of ['id', 'name', 'updated_at', '-updated_at']) {
    const expected = rows
      .filter(passes)
      .toSorted(inOrderOf(sort, sort === 'name' ? nameThenCodePoint : undefined));
    expect(expected.length).toBeGreaterThan(15);
    const read = await walk(workspace.client, `/companies?${query}&sort=${sort}`.replace('?&', '?'), 13);
    expect([sort, read.map(({ id, name }) => [id, name])]).toEqual([
      sort,
      expected.map(({ id, name }) => [id, name]),
    ]);
  }
});

test('limit and offset alone answer as the contract has it, to the byte', async () => {
  const { text } = await workspace.client.get('/companies?limit=1&offset=2');
  const { body } = await workspace.client.get(`/companies/${rows[2].orgnr}`);
  expect(text).toBe(`{"data":[${JSON.stringify(body.data)}],"page":{"size":1,"offset":2,"has_more":true}}`);
});

test.each(['cursor=', 'sort=id', 'archived=false', 'status=lead', 'assigned_to=none'])(
  '%s adds next_cursor to the page, and refuses an offset beside it',
  async (query) => {
    const { body } = await workspace.client.get(`/companies?limit=1&${query}`);
    expect(body.page).toEqual({ size: 1, offset: 0, has_more: true, next_cursor: expect.any(String) });
    const answer = await workspace.client.get(`/companies?offset=0&${query}`);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, 'offset']);
  },
);

test('users can be read by cursor, too', async () => {
  const own = await world.workspace();
  for (let n = 0; n < 3; n += 1) await own.addMember();
  await own.removeMember(await own.addMember());
  const all = (await own.client.get('/users')).body;
  expect(all.page).toEqual({ size: 25, offset: 0, has_more: false });
  expect(await walk(own.client, '/users', 2)).toEqual(all.data);
  expect(await walk(own.client, `/users?email=${all.data[1].email}`, 1)).toEqual([all.data[1]]);
  const { body } = await own.client.get('/users?cursor=&limit=1');
  expect(body.page).toEqual({ size: 1, offset: 0, has_more: true, next_cursor: expect.any(String) });
  const { next_cursor } = body.page;
  for (const query of [`cursor=${next_cursor}&email=a@b.no`, 'cursor=x', 'cursor=&offset=0']) {
    expect((await own.client.get(`/users?${query}`)).status).toBe(400);
  }
});

test('an assignee that is neither an id nor none is refused with what it can be', async () => {
  const { client } = await world.workspace();
  const { status, body } = await client.get('/companies?assigned_to=nobody');
  expect([status, body.details]).toEqual([
    400,
    [{ field: 'assigned_to', message: 'must be a UUID or none' }],
  ]);
});
