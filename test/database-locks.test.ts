import { expect, onTestFinished, test } from 'vitest';
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

test('the writer of a row that another has changed meanwhile is served, whatever the default isolation', async () => {
  const database = new URL(world.databaseUrl).pathname.slice(1);
  await world.query(`alter database ${database} set default_transaction_isolation = 'serializable'`);
  onTestFinished(async () => {
    await world.query(`alter database ${database} reset default_transaction_isolation`);
  });
  const workspace = await world.workspace();
  const company = await workspace.company();
  const service = await world.start();
  const row = await holdRow(
    world.databaseUrl,
    'update companies set employees = 7 where tenant_id = $1 and id = $2',
    [workspace.id, company.id],
  );
  const { token } = workspace.client;
  const changed = service.client(token).patch(`/companies/${company.orgnr}`, { status: 'customer' });
  await row.awaited();
  await row.commit();
  const { status, body } = await changed;
  expect([status, body.data?.employees]).toEqual([200, 7]);
});
