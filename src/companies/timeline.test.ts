import { expect, test } from 'vitest';
import { walk } from '../../test/walk.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('the timeline shows what happened to one company, the newest first, a few at a time', async () => {
  const { client, owner, member, company } = await world.workspace();
  const { id, orgnr } = await company();
  await company();
  const first = await client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
  await client.patch(`/companies/${orgnr}`, { status: 'customer', assigned_to: member.id });
  await client.patch(`/companies/${orgnr}`, { assigned_to: null });
  const last = await client.post(`/companies/${orgnr}/notes`, { text: 'Ringte igjen' });

  const entries = await walk(client, `/companies/${orgnr}/timeline`, 2);
  expect([entries[0], entries[4]]).toEqual([last.body.data, first.body.data]);
  const types: string[] = entries.map(({ type }) => type);
  expect(types.toSorted()).toEqual([
    'add_comment',
    'add_comment',
    'change_assignment',
    'change_assignment',
    'change_status',
    'create_company',
  ]);
  const contents = (type: string) =>
    entries.filter((entry) => entry.type === type).map(({ content }) => content);
  expect(contents('change_status')).toEqual([{ from: 'prospect', to: 'customer' }]);
  expect(contents('change_assignment')).toEqual([
    { from: member.id, to: null },
    { from: null, to: member.id },
  ]);
  expect(entries.at(-1)).toMatchObject({ type: 'create_company', content: {} });
  for (const entry of entries) expect(entry).toMatchObject({ company_id: id, user_id: owner.id });
  expect(entries.map((entry) => entry.id)).toEqual(
    entries.map((entry) => entry.id).toSorted((a, b) => b - a),
  );
});

test('a cursor belongs to the timeline of its company', async () => {
  const { client, company } = await world.workspace();
  const [one, other] = [await company(), await company()];
  for (const { orgnr } of [one, other]) await client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
  const { next_cursor } = (await client.get(`/companies/${one.orgnr}/timeline?limit=1`)).body.page;
  expect((await client.get(`/companies/${one.orgnr}/timeline?cursor=${next_cursor}`)).status).toBe(200);
  expect((await client.get(`/companies/${other.orgnr}/timeline?cursor=${next_cursor}`)).status).toBe(400);
  const forged = Buffer.from(JSON.stringify(['x', 1.5])).toString('base64url');
  expect((await client.get(`/companies/${one.orgnr}/timeline?cursor=${forged}`)).status).toBe(400);
});

test('the timeline of a deleted or foreign company is not found', async () => {
  const workspace = await world.workspace();
  const { orgnr } = await workspace.company();
  const stranger = await world.workspace();
  expect((await stranger.client.get(`/companies/${orgnr}/timeline`)).status).toBe(404);
  await workspace.deleteCompany(orgnr);
  expect((await workspace.client.get(`/companies/${orgnr}/timeline`)).status).toBe(404);
});

test('notes of all companies are listed in order of id, as POST answered them', async () => {
  const workspace = await world.workspace();
  const { client, company } = workspace;
  const posted = [];
  const companies = [await company(), await company()];
  for (let n = 0; n < 7; n += 1) {
    const { orgnr } = companies[n % 2];
    posted.push((await client.post(`/companies/${orgnr}/notes`, { text: `Ringte ${n}` })).body.data);
  }
  expect(await walk(client, '/notes', 3)).toEqual(posted);
  expect((await (await world.workspace()).client.get('/notes')).body.data).toEqual([]);
});

test('a note is restored only under its own company', async () => {
  const { client, company, signIn } = await world.workspace();
  const browser = await signIn();
  const [{ orgnr }, other] = [await company(), await company()];
  const { data } = (await client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' })).body;
  expect((await browser.delete(`/companies/${orgnr}/notes/${data.id}`)).status).toBe(204);
  for (const wrong of ['999999999', other.orgnr]) {
    const refused = await browser.post(`/companies/${wrong}/notes/${data.id}/restore`, {});
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
  }
  const restored = await browser.post(`/companies/${orgnr}/notes/${data.id}/restore`, {});
  expect([restored.status, restored.body.data]).toEqual([200, data]);
  const entries = (await client.get('/changes?resource=note')).body.data;
  expect(entries.map((entry: { action: string; orgnr: string }) => [entry.action, entry.orgnr])).toEqual([
    ['created', orgnr],
    ['deleted', orgnr],
    ['restored', orgnr],
  ]);
});
