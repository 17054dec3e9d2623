import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('a member has a hundred working keys at most, so that an owner sees all', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  const body = { name: 'Regnskap', permissions: ['companies:read'] };
  const { id } = (await browser.post('/keys', body)).body.data.key;
  const add = (count: number) =>
    world.query(
      `insert into api_keys (tenant_id, user_id, id, name, digest, permissions)
       select $1, $2, gen_random_uuid()::text, 'Script', sha256(gen_random_uuid()::text::bytea), 1
       from generate_series(1, $3::int)`,
      [workspace.id, workspace.member.id, count],
    );
  await add(99);
  const refused = await browser.post('/keys', body);
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached']);
  expect(refused.body.error).toContain('revoke one first');
  // With replaced keys that still work, a member may have 150 keys.
  const rotate = (key: string, overlap_hours = 24) => browser.post(`/keys/${key}/rotate`, { overlap_hours });
  const rotated = await rotate(id);
  expect(rotated.status).toBe(201);
  await add(49);
  expect((await rotate(rotated.body.data.key.id)).body.code).toBe('limit_reached');
  const replaced = await rotate(rotated.body.data.key.id, 0);
  expect(replaced.status).toBe(201);
  expect((await browser.post(`/keys/${id}/revoke`, {})).status).toBe(200);
  expect((await rotate(replaced.body.data.key.id)).status).toBe(201);
  const asOwner = await workspace.signIn();
  expect((await asOwner.post('/keys', body)).status).toBe(201);
});
