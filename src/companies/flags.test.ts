import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('a person archives a company and takes it out again; log and timeline say who', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  const { orgnr } = await workspace.company();
  const archived = await browser.post(`/companies/${orgnr}/archive`, {});
  expect([archived.status, archived.body.data.is_archived]).toEqual([200, true]);
  expect(archived.headers.etag).toBe((await browser.get(`/companies/${orgnr}`)).headers.etag);
  expect((await browser.post(`/companies/${orgnr}/archive`, {})).headers.etag).toBe(archived.headers.etag);
  expect((await browser.post(`/companies/${orgnr}/unarchive`, {})).body.data.is_archived).toBe(false);

  const { data } = (await browser.get('/changes?resource=company')).body;
  const said = data.map((entry: { action: string; actor: object }) => [entry.action, entry.actor]);
  const actor = { kind: 'user', id: workspace.member.id };
  expect(said.slice(1)).toEqual([
    ['archived', actor],
    ['unarchived', actor],
  ]);
  const timeline = (await browser.get(`/companies/${orgnr}/timeline`)).body.data;
  expect(timeline.map((entry: { type: string; user_id: string }) => [entry.type, entry.user_id])).toEqual([
    ['unarchive', workspace.member.id],
    ['archive', workspace.member.id],
    ['create_company', workspace.owner.id],
  ]);
});

test('a deleted company is gone for keys; people read it, and an admin restores it', async () => {
  const workspace = await world.workspace();
  const { orgnr, id } = await workspace.company();
  await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
  const admin = await workspace.addMember({}, 'admin');
  const [browser, member] = [await workspace.signIn(admin), await workspace.signIn(workspace.member)];

  expect((await browser.get(`/companies/${orgnr}/deletion`)).status).toBe(404);
  const refused = await member.delete(`/companies/${orgnr}`);
  expect([refused.status, refused.body.error]).toEqual([
    403,
    'Your role in the workspace does not allow this: ask an admin or an owner',
  ]);
  expect((await browser.delete(`/companies/${orgnr}`)).status).toBe(204);
  expect((await browser.delete(`/companies/${orgnr}`)).status).toBe(404);
  expect((await workspace.client.get(`/companies/${orgnr}`)).status).toBe(404);
  expect((await workspace.client.post('/companies', { orgnr })).body.code).toBe('company_deleted');

  const seen = await member.get(`/companies/${orgnr}`);
  expect([seen.status, seen.body.data.is_deleted]).toEqual([200, true]);
  expect((await member.get(`/companies/${orgnr}/timeline`)).body.data[0]).toMatchObject({
    type: 'delete',
    user_id: admin.id,
  });
  const { deleted_at, user_id } = (await member.get(`/companies/${orgnr}/deletion`)).body.data;
  expect([Date.parse(deleted_at) > 0, user_id]).toEqual([true, admin.id]);
  for (const change of ['archive', 'unarchive']) {
    expect((await member.post(`/companies/${orgnr}/${change}`, {})).status).toBe(404);
  }
  expect((await member.patch(`/companies/${orgnr}`, { status: 'lead' })).status).toBe(404);

  expect((await member.post(`/companies/${orgnr}/restore`, {})).status).toBe(403);
  const restored = await browser.post(`/companies/${orgnr}/restore`, {});
  expect([restored.status, restored.body.data.id, restored.body.data.is_deleted]).toEqual([200, id, false]);
  expect((await browser.get(`/companies/${orgnr}/deletion`)).status).toBe(404);
  expect((await browser.post(`/companies/${orgnr}/restore`, {})).headers.etag).toBe(restored.headers.etag);
  expect((await workspace.client.get(`/companies/${orgnr}`)).status).toBe(200);
  const { data } = (await browser.get('/changes?resource=company')).body;
  expect(data.map(({ action }: { action: string }) => action)).toEqual(['created', 'deleted', 'restored']);
});

test('a company that somebody else changed meanwhile is not deleted', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { orgnr } = await workspace.company();
  const { etag } = (await browser.get(`/companies/${orgnr}`)).headers;
  await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
  const remove = (state: string | undefined) =>
    browser.send({ method: 'DELETE', path: `/companies/${orgnr}`, headers: { 'if-match': state } });
  expect((await remove(etag)).status).toBe(412);
  expect((await remove((await browser.get(`/companies/${orgnr}`)).headers.etag)).status).toBe(204);
});

test('a company of another workspace is not found, and a key cannot do any of this', async () => {
  const workspace = await world.workspace();
  const { orgnr } = await workspace.company();
  const stranger = await (await world.workspace()).signIn();
  const calls = [
    ['POST', `/companies/${orgnr}/archive`],
    ['POST', `/companies/${orgnr}/unarchive`],
    ['POST', `/companies/${orgnr}/restore`],
    ['DELETE', `/companies/${orgnr}`],
    ['GET', `/companies/${orgnr}/deletion`],
    ['GET', `/companies/${orgnr}/counts`],
  ] as const;
  for (const [method, path] of calls) {
    expect([method, path, (await stranger.send({ method, path })).status]).toEqual([method, path, 404]);
    const { status, body } = await workspace.client.send({ method, path });
    expect([405, 404]).toContain(status);
    expect(['method_not_allowed', 'not_found']).toContain(body.code);
  }
  for (const path of ['/companies/overview', '/companies/overview/count']) {
    expect((await workspace.client.get(path)).status).not.toBe(200);
  }
  expect((await workspace.client.get(`/companies/${orgnr}`)).body.data.is_archived).toBe(false);
});

test('a company that a person adds says so in `source`', async () => {
  const workspace = await world.workspace();
  const { orgnr } = await workspace.company();
  const added = await (await (await world.workspace()).signIn()).post('/companies', { orgnr });
  expect([added.status, added.body.data.source]).toEqual([201, 'application']);
  expect((await workspace.client.get(`/companies/${orgnr}`)).body.data.source).toBe('api');
});
