import { expect, test } from 'vitest';
import { createCrm } from '../examples/crm.ts';
import { recordOrder } from '../examples/shop-order.ts';
import { access, newOrder, ONCE, recorded } from './shop-orders.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const other = await world.start();

const RACES = 100;

/** So many at once are turned away more often than a program of its own would repeat them. */
const patientCrm = (options: ReturnType<typeof access>) => createCrm({ ...options, attempts: 1_000 });

test('two workers that record orders of one buyer at the same time leave one buyer', async () => {
  const workspace = await world.workspace();
  const orders = Array.from({ length: RACES }, () => newOrder());
  await Promise.all(
    orders.map(async (one) => {
      const two = newOrder({ orgnr: one.orgnr, buyer: { ...one.buyer, name: 'K. Nordmann' } });
      await Promise.all([
        recordOrder(patientCrm(access(workspace, world)), one, workspace.owner.email),
        recordOrder(patientCrm(access(workspace, other)), two, workspace.owner.email),
      ]);
    }),
  );
  // These requests are not repeated as the orders are: one after another nothing is turned away.
  const twice = { ...ONCE, offers: 2, tasks: 2, notes: 2 };
  for (const one of orders) expect(await recorded(workspace, one)).toEqual(twice);
});

test('two workers that record the same order leave one of everything', async () => {
  const workspace = await world.workspace();
  const order = newOrder();
  await Promise.all(
    [world, other].map((on) => recordOrder(createCrm(access(workspace, on)), order, workspace.owner.email)),
  );
  expect(await recorded(workspace, order)).toEqual(ONCE);
});
