import { expect, test } from 'vitest';
import { createCrm } from '../../examples/crm.ts';
import { recordOrder } from '../../examples/shop-order.ts';
import { access, newOrder, ONCE, recorded } from './shop-orders.ts';
import { createWorld } from '../world.ts';

const world = await createWorld();
const other = await world.start();

const RACES = 100;
const AT_ONCE = 14;

test('two workers that record orders of one buyer at the same time leave one buyer', async () => {
  const workspace = await world.workspace();
  const orders = Array.from({ length: RACES }, () => newOrder());
  // Few at once: with many, a slow machine turns requests away more often than the program repeats them.
  const racing = orders.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of racing) {
        const two = newOrder({ orgnr: one.orgnr, buyer: { ...one.buyer, name: 'K. Nordmann' } });
        await Promise.all([
          recordOrder(createCrm(access(workspace, world)), one, workspace.owner.email),
          recordOrder(createCrm(access(workspace, other)), two, workspace.owner.email),
        ]);
      }
    }),
  );
  // These requests are not repeated as the orders are: sent one after another, none is turned away.
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
