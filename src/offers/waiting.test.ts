import { expect, test } from 'vitest';
import { holdTable } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('open offers, of one user or all, come in order, the longest waiting first', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const company = await workspace.company();
  const offers = [];
  for (const [status, user] of [
    ['sent', workspace.owner],
    ['accepted', workspace.owner],
    ['new', workspace.member],
    ['negotiating', workspace.owner],
    ['rejected', workspace.owner],
  ] as const)
    offers.push(await workspace.offer({ company_id: company.id, status, user_id: user.id, title: status }));
  const titles = async (query: string) =>
    (await browser.get(`/offers/waiting${query}`)).body.data.map(({ title }: { title: string }) => title);
  expect(await titles('')).toEqual(['sent', 'new', 'negotiating']);
  expect(await titles('?limit=2')).toEqual(['sent', 'new']);
  expect(await titles(`?user_id=${workspace.owner.id}`)).toEqual(['sent', 'negotiating']);
  const [first] = (await browser.get('/offers/waiting')).body.data;
  expect(first).toMatchObject({
    id: offers[0].id,
    since: offers[0].created_at,
    company: { orgnr: company.orgnr, name: company.name, is_deleted: false },
    user: { id: workspace.owner.id, is_member: true },
  });
  const other = await (await world.workspace()).signIn();
  expect((await other.get('/offers/waiting')).body.data).toEqual([]);
});

test('an offer that is removed with its company while offers are read is left out', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const [gone, stays] = [await workspace.offer(), await workspace.offer({ title: 'Blir' })];
  const companies = await holdTable(world.databaseUrl, 'companies');
  const reading = browser.get('/offers/waiting');
  await companies.awaited();
  for (const [table, column] of [
    ['offers', 'company_id'],
    ['timeline_entries', 'company_id'],
    ['companies', 'id'],
  ])
    await companies.run(`delete from ${table} where ${column} = '${gone.company_id}'`);
  await companies.commit();
  const { data } = (await reading).body;
  expect(data).toEqual([expect.objectContaining({ id: stays.id, company: expect.anything() })]);
});
