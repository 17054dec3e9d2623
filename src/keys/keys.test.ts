import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('a key tells its workspace, its creator and its permissions', async () => {
  const workspace = await world.workspace();
  const { client } = await workspace.key(['tasks:read'], { user: workspace.member });
  const answer = await client.get('/me');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    data: { tenant_id: workspace.id, user_id: workspace.member.id, permissions: 16 },
  });
});
