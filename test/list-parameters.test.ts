import { expect, test } from 'vitest';
import { fieldsAtFault } from './ask.ts';
import { OPERATIONS } from './operations.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const workspace = await world.workspace();
const { client } = workspace;
const NIL = '00000000-0000-0000-0000-000000000000';
const LISTS = OPERATIONS.filter(({ cursored }) => cursored);

/** Values that a filter takes, and those that it does not. */
const FILTERS: Record<string, { good: string[]; bad: string[] }> = {
  user_id: { good: [NIL], bad: ['', 'x', '17', 'kari@example.no', 'none'] },
  company_id: { good: [NIL, NIL.toUpperCase()], bad: ['', '923609016', 'none'] },
  completed: { good: ['true', 'false'], bad: ['', 'True', '1', 'yes', 'null'] },
  status: { good: [], bad: ['', 'open', 'New'] },
  due_from: timestamps(),
  due_before: timestamps(),
  updated_since: timestamps(),
};

function timestamps() {
  return {
    good: ['2026-01-15T09:00:00Z', '2026-01-15T09:00:00.123%2B01:00', '0001-01-01T00:00:00Z'],
    bad: [
      '',
      '2026-01-15',
      '2026-01-15T09:00:00',
      '2026-01-15T09:00:00+01:00',
      '2026-02-30T00:00:00Z',
      'now',
    ],
  };
}

test.each([
  ['/tasks', ['user_id', 'company_id', 'completed', 'due_from', 'due_before', 'updated_since']],
  ['/offers', ['user_id', 'company_id', 'status', 'updated_since']],
])('%s takes good values of each filter, and refuses bad ones and repeats', async (path, names) => {
  for (const name of names) {
    const { good, bad } = FILTERS[name]!;
    for (const value of good) {
      const { status } = await client.get(`${path}?${name}=${value}`);
      expect([name, value, status]).toEqual([name, value, 200]);
    }
    for (const value of [...bad, `${good[0] ?? 'new'}&${name}=${good[0] ?? 'new'}`]) {
      const answer = await client.get(`${path}?${name}=${value}`);
      expect([name, value, answer.status, fieldsAtFault(answer)]).toEqual([name, value, 400, [name]]);
    }
  }
});

test('a timestamp whose + became a space is refused with how to send it', async () => {
  const { body } = await client.get('/tasks?due_from=2026-01-15T09:00:00+01:00');
  expect(body.details[0].message).toMatch(/send it as %2B$/);
});

const find = async (query: string) =>
  (await client.get(`/tasks?${query}`)).body.data.map((task: { id: string }) => task.id);

test('a time finer than milliseconds lies after the milliseconds that it begins with', async () => {
  const { id, due_date } = await workspace.task({ due_date: '2026-01-31T22:59:59.9999999Z' });
  expect(due_date).toBe('2026-01-31T22:59:59.999Z');
  expect(await find('due_before=2026-01-31T22:59:59.9999999Z')).toEqual([id]);
  expect(await find('due_from=2026-01-31T22:59:59.9999999Z')).toEqual([]);
  expect(await find('due_before=2026-01-31T22:59:59.999Z')).toEqual([]);
  expect(await find('due_from=2026-01-31T22:59:59.999000000Z')).toEqual([id]);
  // DateTime.MaxValue of .NET.
  expect(await find('due_before=9999-12-31T23:59:59.9999999Z')).toEqual([id]);
});

test.each(LISTS)('$route refuses a limit, sort or cursor that it does not know', async ({ path }) => {
  const list = await path(workspace);
  for (const [name, values] of [
    ['limit', ['0', '101', '-1', 'x', '', '5&limit=5']],
    ['sort', ['x', '', 'ID', 'title', 'id&sort=id']],
    ['cursor', ['x', 'e30', 'W10', 'bnVsbA', '%00', 'x&cursor=x', Buffer.from('[1').toString('base64url')]],
  ] as const) {
    for (const value of values) {
      const answer = await client.get(`${list}?${name}=${value}`);
      expect([name, value, answer.status, fieldsAtFault(answer)]).toEqual([name, value, 400, [name]]);
    }
  }
  expect((await client.get(`${list}?offset=0`)).status).toBe(400);
});

test('a cursor is good for its list, filters and sort alone, with any limit', async () => {
  for (let n = 0; n < 3; n += 1) {
    await workspace.task();
    await workspace.offer();
  }
  const query = `user_id=${workspace.owner.id}&sort=updated_at`;
  const { next_cursor } = (await client.get(`/tasks?${query}&limit=1`)).body.page;
  expect((await client.get(`/tasks?${query}&limit=2&cursor=${next_cursor}`)).status).toBe(200);
  for (const other of [
    `/offers?${query}`,
    '/tasks?sort=updated_at',
    `/tasks?${query.replace('updated_at', '-updated_at')}`,
    `/tasks?${query}&completed=false`,
    `/tasks?user_id=${workspace.member.id}&sort=updated_at`,
    '/changes?',
  ]) {
    const answer = await client.get(`${other}&cursor=${next_cursor}`);
    expect([other, answer.status, fieldsAtFault(answer)]).toEqual([other, 400, ['cursor']]);
  }
});

test('a cursor made up of values that no row can have is refused', async () => {
  const { next_cursor } = (await client.get('/tasks?sort=due_date&limit=1')).body.page;
  const [kind, at, id] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString());
  for (const place of [
    [],
    [at],
    [id],
    [at, 'x'],
    ['x', id],
    [at, 5],
    [5, id],
    [null, id],
    [at, id, id],
    [[], id],
    // PostgreSQL knows no such offset.
    ['2026-01-15T09:00:00+23:00', id],
  ]) {
    const cursor = Buffer.from(JSON.stringify([kind, ...place])).toString('base64url');
    const answer = await client.get(`/tasks?sort=due_date&cursor=${cursor}`);
    expect([place, answer.status, fieldsAtFault(answer)]).toEqual([place, 400, ['cursor']]);
  }
});

test.each(['/companies', '/contacts', '/tasks', '/offers', '/notes', '/users'])(
  'a cursor of %s of another workspace is 400',
  async (path) => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    for (const _ of [1, 2]) {
      const { orgnr } = await one.company();
      await one.client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
      await Promise.all([one.contact(), one.task(), one.offer()]);
    }
    const { next_cursor } = (await one.client.get(`${path}?limit=1&cursor=`)).body.page;
    expect((await one.client.get(`${path}?cursor=${next_cursor}`)).status).toBe(200);
    const answer = await other.client.get(`${path}?cursor=${next_cursor}`);
    expect([answer.status, fieldsAtFault(answer)]).toEqual([400, ['cursor']]);
  },
);
