import { expect, test } from 'vitest';
import { createCrm } from '../../examples/crm.ts';
import { recordOrder, type Order } from '../../examples/shop-order.ts';
import { startExample } from './example-process.ts';
import { MOMENTS, runUntilKilled } from './killed.ts';
import { access, newOrder, ONCE, recorded } from './shop-orders.ts';
import { createWorld } from '../world.ts';

const world = await createWorld();
const other = await world.start();

test('an order stopped at any call and recorded again is there once', async () => {
  const workspace = await world.workspace();
  const record = (order: Order) => (crm: Parameters<typeof recordOrder>[0]) =>
    recordOrder(crm, order, workspace.owner.email);
  const prospect = async () => newOrder({ orgnr: (await workspace.company()).orgnr });

  const whole = await prospect();
  const { calls } = await runUntilKilled(access(workspace, world), record(whole));
  expect(await recorded(workspace, whole)).toEqual(ONCE);

  const kills = MOMENTS.flatMap((moment) =>
    Array.from({ length: calls }, (_, index) => ({ call: index + 1, moment })),
  );
  expect(kills.length).toBeGreaterThanOrEqual(36);
  // What comes before and after the orders is not repeated as they are: sent one at a time, none is turned away.
  const stopped = [];
  for (const kill of kills) stopped.push({ kill, order: await prospect() });
  const killed = await Promise.all(
    stopped.map(async ({ kill, order }) => {
      const first = await runUntilKilled(access(workspace, world), record(order), kill);
      await runUntilKilled(access(workspace, other), record(order));
      return first.killed;
    }),
  );
  const outcomes = [];
  for (const [index, { kill, order }] of stopped.entries()) {
    outcomes.push({ ...kill, killed: killed[index], ...(await recorded(workspace, order)) });
  }
  expect(outcomes).toEqual(kills.map((kill) => ({ ...kill, killed: true, ...ONCE })));
});

test('an order stopped after any call and recorded again when its keys are forgotten is there once', async () => {
  const workspace = await world.workspace();
  const orders = await Promise.all(
    Array.from({ length: 11 }, async (_, index) => {
      const order = newOrder();
      const record = (crm: Parameters<typeof recordOrder>[0]) =>
        recordOrder(crm, order, workspace.owner.email);
      await runUntilKilled(access(workspace, world), record, { call: index + 3, moment: 'after' });
      return { order, record };
    }),
  );
  await world.query(
    "update remembered_answers set created_at = now() - interval '25 hours' where tenant_id = $1",
    [workspace.id],
  );
  await Promise.all(orders.map(({ record }) => record(createCrm(access(workspace, world)))));
  for (const { order } of orders) expect(await recorded(workspace, order)).toEqual(ONCE);
});

test('an erased buyer who orders again is a new contact, and an old order brings nobody back', async () => {
  const workspace = await world.workspace();
  const crm = createCrm(access(workspace, world));
  const first = newOrder();
  await recordOrder(crm, first, workspace.owner.email);
  const { body } = await workspace.client.get(`/contacts?email=${encodeURIComponent(first.buyer.email)}`);
  await workspace.client.send({ method: 'DELETE', path: `/contacts/${body.data[0].id}` });

  await recordOrder(crm, first, workspace.owner.email);
  expect(await recorded(workspace, first)).toMatchObject({ byEmail: 0, contacts: 0, offers: 1 });
  await recordOrder(crm, newOrder({ orgnr: first.orgnr, buyer: first.buyer }), workspace.owner.email);
  expect(await recorded(workspace, first)).toEqual({ ...ONCE, offers: 2, tasks: 2, notes: 2 });
});

test('a buyer who is erased or merged while an order is recorded does not stop it', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const contactOf = async ({ buyer }: Order) =>
    (await workspace.client.get(`/contacts?email=${encodeURIComponent(buyer.email)}`)).body.data[0];
  const stopped = async () => {
    const order = newOrder();
    const record = (crm: Parameters<typeof recordOrder>[0]) => recordOrder(crm, order, workspace.owner.email);
    await runUntilKilled(access(workspace, world), record, { call: 7, moment: 'after' });
    return { order, gone: await contactOf(order), again: () => record(createCrm(access(workspace, world))) };
  };

  const erased = await stopped();
  await workspace.client.send({ method: 'DELETE', path: `/contacts/${erased.gone.id}` });
  await erased.again();
  expect(await recorded(workspace, erased.order)).toEqual(ONCE);

  const merged = await stopped();
  const [{ id: point }] = (await workspace.client.get(`/contacts/${merged.gone.id}/points`)).body.data;
  await workspace.client.send({ method: 'DELETE', path: `/contacts/${merged.gone.id}/points/${point}` });
  const kept = await workspace.contact();
  await browser.post(`/contacts/${kept.id}/merge`, { other_id: merged.gone.id });
  await merged.again();
  expect([await contactOf(merged.order), await recorded(workspace, merged.order)]).toEqual([kept, ONCE]);
});

test('the program records the order of a file and says so, or what is wrong', async () => {
  const workspace = await world.workspace();
  const { address, key } = access(workspace, world);
  const settings = { CRM_ADDRESS: address, CRM_KEY: key, OWNER: workspace.owner.email };
  expect(await startExample(['shop-order.ts', 'order.json'], settings).ended).toEqual({
    code: 0,
    stderr: 'Order 1042 is recorded\n',
  });
  expect((await workspace.client.get('/tasks')).body.data).toHaveLength(1);
  const { code, stderr } = await startExample(['shop-order.ts', 'missing.json'], settings).ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('missing.json')]);
});
