import { beforeAll, expect, test } from 'vitest';
import { inOrderOf, walk } from './walk.ts';
import type { Workspace } from './workspace.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

/** More than twice the rows that are sorted for a page, so that each way to find a page is tried. */
const ROWS = 22_000;

// oxlint-disable-next-line typescript/no-explicit-any -- contacts
type Row = any;
let workspace: Workspace;
let rows: Row[];

beforeAll(async () => {
  workspace = await world.workspace();
  // Names are in the opposite order of ids, times in the same order.
  rows = await world.query(
    `with added as (
       insert into contacts (tenant_id, id, name, notes, updated_at)
       select $1, ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
         case when n % 700 = 3 then 'Anne-Berg' when n % 700 = 6 then 'Åse BÉRG' when n % 700 = 5 then 'BERG'
           when n % 700 = 10 then '«Berg»' when n % 5 = 0 then 'Berg' else 'Dahl' end || ' ' || lpad((${ROWS} - n)::text, 6, '0')
           || case when n > ${ROWS - 600} then ' Sist' else '' end
           || case when n > 8000 then ' Mange' else '' end || case when n < 10500 then ' Rare' else '' end
           || case when n > 10900 then ' Sen' else '' end
           || case when n < 500 or n > 11000 then ' Flere' else '' end,
         '', timestamptz '2026-01-01' + n * interval '1 s'
       from generate_series(1, ${ROWS}) as n returning *),
     words as (
       insert into contact_words
       select distinct tenant_id, id, 0, word from added, unnest(string_to_array(btrim(search), ' ')) as word)
     select id, name, updated_at, (row_number() over (order by name collate "nb-NO-x-icu", id))::integer as place
     from added`,
    [workspace.id],
  );
  await world.query('analyze contacts, contact_words');
  rows = rows.map((row) => ({ ...row, updated_at: row.updated_at.toISOString() }));
});

/** Names are in the order of PostgreSQL's collation. */
const inOrder = (sort: string) => inOrderOf(sort === 'name' ? 'place' : sort);

const since = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();

test.each<[string, string, (row: Row) => boolean]>([
  // Few matches are sorted at once; for more, the next rows are looked through first; too many are not sorted.
  [`updated_since=${since(ROWS - 300)}`, 'id name', (row) => row.updated_at >= since(ROWS - 300)],
  [`updated_since=${since(ROWS - 4_000)}`, 'name', (row) => row.updated_at >= since(ROWS - 4_000)],
  [`updated_since=${since(ROWS - 11_000)}`, 'id', (row) => row.updated_at >= since(ROWS - 11_000)],
  ['q=sist', 'id name', (row) => row.name.includes('Sist')],
  // Most names begin with the word, however it is written; others have it later, and are before or after those.
  ['q=berg', 'name updated_at', (row) => /b[eé]rg/i.test(row.name)],
  ['q=mange', 'id', (row) => row.name.includes('Mange')],
  // Each of the two words is in more rows than are sorted, and both together are in few.
  ['q=rare%20flere', 'id name updated_at', (row) => row.name.includes('Rare Flere')],
])('%s finds each match once and in order of %s', async (query, sorts, passes) => {
  for (const sort of sorts.split(' ')) {
    const expected = rows.filter(passes).toSorted(inOrder(sort));
    const read = await walk(workspace.client, `/contacts?${query}&sort=${sort}`);
    expect(read.length).toBe(expected.length);
    expect(read.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  }
});

test.each<[string, (row: Row) => boolean]>([
  ['q=sen', (row) => row.name.includes('Sen')],
  ['q=mange%20sen', (row) => row.name.includes('Sen')],
  ['q=se', (row) => row.name.includes('Sen')],
  ['q=sen%20rare', () => false],
])('no page of %s is empty while more follow, and pages are in order of id', async (query, passes) => {
  const expected = rows.filter(passes).toSorted(inOrderOf('id'));
  for (const sort of ['id', 'name', 'updated_at']) {
    const read: Row[] = [];
    let cursor: string | null = '';
    for (let page = 0; page < 3 && cursor !== null; page += 1) {
      const { body } = await workspace.client.get(`/contacts?${query}&sort=${sort}&cursor=${cursor}`);
      expect([sort, body.data.length > 0 || !body.page.has_more]).toEqual([sort, true]);
      read.push(...body.data);
      cursor = body.page.next_cursor;
    }
    expect(read.map(({ id }) => id)).toEqual(expected.slice(0, read.length).map(({ id }) => id));
  }
});

test('a page with a filter by time may be empty while more follow', async () => {
  const { body } = await workspace.client.get(`/contacts?updated_since=${since(ROWS - 11_000)}&sort=id`);
  expect(body.data).toEqual([]);
  expect(body.page).toEqual({ size: 25, has_more: true, next_cursor: expect.any(String) });
});
