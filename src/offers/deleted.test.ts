import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('a deleted offer is gone for everybody, keeps its id used, and comes back as it was', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const offer = await workspace.offer({
    id: randomUUID(),
    one_time_revenue: 9_007_199_254_740_991,
  });
  const before = await browser.get(`/offers/${offer.id}`);

  expect((await browser.delete(`/offers/${offer.id}`)).status).toBe(204);
  expect((await workspace.client.get(`/offers/${offer.id}`)).status).toBe(404);
  expect((await workspace.client.get('/offers')).body.data).toEqual([]);
  expect((await browser.delete(`/offers/${offer.id}`)).status).toBe(404);
  const { company_id, user_id } = offer;
  const retried = await workspace.client.post('/offers', { id: offer.id, title: 'x', company_id, user_id });
  expect([retried.status, retried.body.code]).toEqual([409, 'id_already_used']);
  expect(retried.body.error).toMatch(/belongs to a deleted offer$/);

  const restored = await browser.post(`/offers/${offer.id}/restore`, {});
  expect([restored.status, restored.body.data]).toEqual([200, offer]);
  expect(restored.headers.etag).not.toBe(before.headers.etag);
  expect((await workspace.client.get(`/offers/${offer.id}`)).body.data).toEqual(offer);

  const { data } = (await workspace.client.get('/changes?resource=offer')).body;
  expect(
    data.map((entry: { action: string; actor: { kind: string } }) => [entry.action, entry.actor.kind]),
  ).toEqual([
    ['created', 'key'],
    ['deleted', 'user'],
    ['restored', 'user'],
  ]);
});
