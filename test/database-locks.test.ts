import { expect, test } from 'vitest';
import { holdRow } from './locks.ts';
import { createWorld } from './world.ts';

const world = await createWorld({ databaseConnections: 2 });

test('the writer of a row that is locked for long gets 503 with Retry-After, and all others are served', async () => {
  const workspace = await world.workspace();
  const company = await workspace.company();
  const path = `/companies/${company.orgnr}`;
  const row = await holdRow(
    world.databaseUrl,
    'select 1 from companies where tenant_id = $1 and id = $2 for update',
    [workspace.id, company.id],
  );
  const blocked = workspace.client.patch(path, { status: 'customer' });
  await row.awaited();
  expect((await workspace.client.get(path)).status).toBe(200);
  const { status, body } = await blocked;
  expect([status, body.code]).toEqual([503, 'temporarily_unavailable']);
  await row.commit();
  expect((await workspace.client.patch(path, { status: 'customer' })).status).toBe(200);
});
