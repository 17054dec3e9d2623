import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

const stand = (id: string, days: number) =>
  world.query(`update offers set status_since = now() - $2 * interval '1 day' where id = $1`, [id, days]);

test('the database keeps the time since which an offer has had its status: from creation, then from each change of status, also across deletion', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id, created_at } = await workspace.offer();
  const since = async () => (await browser.get(`/offers/${id}/card`)).body.data.status_since;
  expect(await since()).toBe(created_at);

  await stand(id, 10);
  const stood = await since();
  await workspace.client.patch(`/offers/${id}`, { title: 'Ny', status: 'new' });
  expect(await since()).toBe(stood);

  await workspace.client.patch(`/offers/${id}`, { status: 'sent' });
  const { status_since, updated_at } = (await browser.get(`/offers/${id}/card`)).body.data;
  expect(status_since).toBe(updated_at);

  await stand(id, 5);
  const before = await since();
  await browser.delete(`/offers/${id}`);
  await browser.post(`/offers/${id}/restore`, {});
  expect(await since()).toBe(before);
});

test('integrations do not see since when an offer has had its status', async () => {
  const workspace = await world.workspace();
  const { id } = await workspace.offer();
  expect((await workspace.client.get(`/offers/${id}`)).body.data).not.toHaveProperty('status_since');
});
