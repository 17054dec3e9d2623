import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { inOrderOf, walk } from '../../test/walk.ts';
import type { Workspace } from '../../test/workspace.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await world.workspace();
  for (let n = 0; n < 9; n += 1) {
    await workspace.contact({ name: ['Øyvind', 'aase', 'Åse', 'Zara', 'Ærlend'][n % 5] });
  }
});

const asNorwegian = new Intl.Collator('nb-NO').compare;

test('contacts are read once and in order with each sort', async () => {
  const all = await walk(workspace.client, '/contacts');
  expect(all.length).toBe(9);
  const byId = await walk(workspace.client, '/contacts?sort=id', 2);
  expect(byId).toEqual(all.toSorted(inOrderOf('id')));
  const byName = await walk(workspace.client, '/contacts?sort=name', 2);
  expect(byName).toEqual(all.toSorted(inOrderOf('name', asNorwegian)));
  const byUpdate = await walk(workspace.client, '/contacts?sort=updated_at', 2);
  expect(await walk(workspace.client, '/contacts?sort=-updated_at', 2)).toEqual(byUpdate.toReversed());
});

test('a contact is found by its email address regardless of case, and by no other detail', async () => {
  const { client, contact } = await world.workspace();
  const kari = await contact({ name: 'kari@example.no' });
  const ola = await contact();
  await client.post(`/contacts/${kari.id}/points`, { type: 'email', value: 'Kari+CRM@Example.no' });
  await client.post(`/contacts/${kari.id}/points`, { type: 'email', value: 'kari+crm@example.no' });
  await client.post(`/contacts/${ola.id}/points`, {
    type: 'other',
    label: 'x',
    value: 'kari+crm@example.no',
  });
  const found = await walk(client, '/contacts?email=KARI%2Bcrm@example.no');
  expect(found).toEqual([kari]);
  expect(await walk(client, '/contacts?email=kari@example.no')).toEqual([]);
  expect((await client.get('/contacts?email=kari')).status).toBe(400);
  expect((await client.get('/contacts?email=kari+crm@example.no')).status).toBe(400);
});

test('contacts of a company are those linked to it, each once', async () => {
  const { client, company, contact, deleteCompany } = await world.workspace();
  const [one, other] = [await company(), await company()];
  const [kari, ola] = [await contact({ name: 'Kari' }), await contact({ name: 'Ola' })];
  for (const who of [kari, kari, ola])
    await client.post(`/contacts/${who.id}/companies`, { company_id: one.id });
  for (const sort of ['id', 'name', '-updated_at']) {
    const read = await walk(client, `/contacts?company_id=${one.id}&sort=${sort}`, 1);
    expect(read.toSorted(inOrderOf('id'))).toEqual([kari, ola].toSorted(inOrderOf('id')));
  }
  expect(await walk(client, `/contacts?company_id=${other.id}`)).toEqual([]);
  expect(await walk(client, `/contacts?company_id=${randomUUIDv7()}`)).toEqual([]);
  await deleteCompany(one.orgnr);
  expect(await walk(client, `/contacts?company_id=${one.id}`)).toHaveLength(2);
});

test('include adds details and company links as their own operations answer them', async () => {
  const { client, company, contact } = await world.workspace();
  const kari = await contact();
  await client.post(`/contacts/${kari.id}/points`, { type: 'email', value: 'kari@example.no' });
  await client.post(`/contacts/${kari.id}/points`, { type: 'mobile', value: '900 00 000' });
  await client.post(`/contacts/${kari.id}/companies`, { company_id: (await company()).id });
  await contact();
  const points = (await client.get(`/contacts/${kari.id}/points`)).body.data;
  const links = (await client.get(`/contacts/${kari.id}/companies`)).body.data;
  for (const [include, parts] of [
    ['points', [{ points }, { points: [] }]],
    ['links', [{ links }, { links: [] }]],
    [
      'points,links',
      [
        { points, links },
        { points: [], links: [] },
      ],
    ],
  ] as const) {
    const { data } = (await client.get(`/contacts?include=${include}`)).body;
    expect(data).toMatchObject(parts);
    expect(Object.keys(data[0])).toEqual(['id', 'name', 'notes', 'created_at', ...Object.keys(parts[0])]);
  }
  for (const include of ['', 'links,points', 'x', 'points&include=points']) {
    expect((await client.get(`/contacts?include=${include}`)).status).toBe(400);
  }
});

test('a page with include ends where its contacts have more than 2000 details and links together', async () => {
  const { id: tenant, client, company, contact } = await world.workspace();
  const of = await company();
  const ids: string[] = [];
  for (const count of [900, 900, 201, 1_000, 1_000, 1_000]) {
    const { id } = await contact();
    ids.push(id);
    for (const [table, columns] of [
      ['contact_points', `type, label, value) select $1, $2, 'other', 'x', n::text`],
      ['contact_companies', `company_id) select $1, $2, '${of.id}'`],
    ]) {
      await world.query(
        `insert into ${table} (tenant_id, contact_id, ${columns} from generate_series(1, ${count}) as n`,
        [tenant, id],
      );
    }
    await world.query(
      `update contacts set point_count = ${count}, link_count = ${count} where tenant_id = $1 and id = $2`,
      [tenant, id],
    );
  }
  const pages = async (query: string) => {
    const sizes: number[] = [];
    const read: string[] = [];
    for (let cursor = ''; cursor !== null;) {
      const { body } = await client.get(`/contacts?limit=100&${query}&cursor=${cursor}`);
      expect(body.page).toMatchObject({ size: 100, has_more: body.page.next_cursor !== null });
      sizes.push(body.data.length);
      read.push(...body.data.map((each: { id: string }) => each.id));
      cursor = body.page.next_cursor;
    }
    expect(read).toEqual(query.includes('-updated') ? ids.toReversed() : ids);
    return sizes;
  };
  expect(await pages('')).toEqual([6]);
  expect(await pages('include=points')).toEqual([2, 2, 2]);
  expect(await pages('include=points,links')).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await pages('include=links&sort=-updated_at')).toEqual([2, 2, 2]);
  expect(await pages(`include=points&company_id=${of.id}`)).toEqual([2, 2, 2]);
});

describe('without companies:read', () => {
  test.each(['include=links', 'include=points,links', `company_id=${randomUUIDv7()}`])(
    '%s is 403, also when nothing would be found',
    async (query) => {
      const { client } = await workspace.key(['contacts:read']);
      const answer = await client.get(`/contacts?${query}`);
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
      expect((await client.get('/contacts?include=points')).status).toBe(200);
    },
  );
});

test('a search for digits that thousands of numbers begin with finds their contacts once each, sorted', async () => {
  const workspace = await world.workspace();
  for (const name of ['Åse', 'Anne']) {
    const { id } = await workspace.contact({ name });
    await workspace.client.post(`/contacts/${id}/points`, { type: 'telephone', value: '777 00 000' });
  }
  await world.query(
    `insert into contact_words (tenant_id, contact_id, point_id, word)
     select $1, gen_random_uuid(), n, '777' || n from generate_series(10001, 16000) as n`,
    [workspace.id],
  );
  const { body } = await workspace.client.get('/contacts?q=777&sort=name');
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Anne', 'Åse']);
});

test('the application is told when each contact was last changed, besides what the list says', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  const contact = await workspace.contact();
  const point = { type: 'email', value: 'kari@example.no' };
  await workspace.client.post(`/contacts/${contact.id}/points`, point);
  const changed = '2026-03-02T10:00:00.000Z';
  await world.query('update contacts set updated_at = $1 where id = $2', [changed, contact.id]);
  const query = '?include=points,links&sort=-updated_at&limit=1';
  const { body: listed } = await workspace.client.get(`/contacts${query}`);
  const { body: rows } = await browser.get(`/contacts/rows${query}`);
  expect(rows.data).toEqual([{ ...listed.data[0], updated_at: changed }]);
  expect((await browser.get(`/contacts/rows?q=kari@ex`)).body.data).toHaveLength(1);
});
