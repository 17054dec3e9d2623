import { expect, test } from 'vitest';
import { createWorld } from './world.ts';

const world = await createWorld();

const LONG = 'æ'.repeat(20_000);

/** One more than the texts that fit on a page of 500 000 characters. */
const ROWS = 26;

test('a page of long texts ends at 500 000 characters, and the next goes on', async () => {
  const { client, company, contact, task, offer, signIn } = await world.workspace();
  const { id, orgnr } = await company();
  for (let n = 0; n < ROWS; n++) {
    await contact({ notes: LONG });
    await task({ related_company_id: id, description: LONG });
    await offer({ company_id: id, description: LONG });
    await client.post(`/companies/${orgnr}/notes`, { text: LONG });
  }
  const person = await signIn();
  for (const [by, path, rest] of [
    [client, '/contacts?', 1],
    [client, '/contacts?include=points,links&', 1],
    [client, '/contacts?sort=-updated_at&', 1],
    [client, '/tasks?', 1],
    [client, '/tasks?sort=due_date&', 1],
    [client, `/tasks?company_id=${id}&completed=false&`, 1],
    [client, '/offers?', 1],
    [client, '/notes?', 1],
    // A timeline also has the entry that the company was added, its oldest.
    [client, `/companies/${orgnr}/timeline?`, 2],
    [person, '/contacts/rows?', 1],
    [person, '/tasks/rows?', 1],
    [person, '/offers/cards?', 1],
  ] as const) {
    const first = (await by.get(`${path}limit=100`)).body;
    expect([path, first.data.length, first.page.has_more]).toEqual([path, ROWS - 1, true]);
    const second = (await by.get(`${path}limit=100&cursor=${first.page.next_cursor}`)).body;
    expect([path, second.data.length, second.page]).toEqual([
      path,
      rest,
      { size: 100, has_more: false, next_cursor: null },
    ]);
    const ids = [...first.data, ...second.data].map((row) => row.id);
    expect(new Set(ids).size).toBe(ROWS - 1 + rest);
  }
});
