import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCrm } from '../examples/crm.ts';
import { recordOrder, type Order } from '../examples/shop-order.ts';
import { MOMENTS, runUntilKilled } from './killed.ts';
import { createWorld, type Running, type Workspace } from './world.ts';
import { freshOrgnr } from './workspace.ts';

const world = await createWorld();
const other = await world.start();

const RACES = 100;

function newOrder(fields: Partial<Order> = {}): Order {
  const number = randomUUID();
  return {
    number,
    placedAt: '2026-11-20T13:45:00Z',
    orgnr: freshOrgnr(),
    buyer: { name: 'Kari Nordmann', email: `Kari.${number}@example.no`, mobile: '+47 912 34 567' },
    total: 12_500,
    lines: ['2 × stol', '1 × bord'],
    ...fields,
  };
}

const access = (workspace: Workspace, on: Running = world) => ({
  address: `${on.origin}/api/v1`,
  key: workspace.client.token!,
});

/** How many of each kind there are of an order's buyer and company. */
async function recorded({ client }: Workspace, order: Order) {
  const company = await client.get(`/companies/${order.orgnr}`);
  const { id, status } = company.body.data;
  const [contacts, offers, tasks, timeline] = await Promise.all([
    client.get(`/contacts?company_id=${id}&include=points,links`),
    client.get(`/offers?company_id=${id}&status=accepted`),
    client.get(`/tasks?company_id=${id}`),
    client.get(`/companies/${order.orgnr}/timeline`),
  ]);
  const byEmail = await client.get(`/contacts?email=${encodeURIComponent(order.buyer.email)}`);
  return {
    status,
    contacts: contacts.body.data.length,
    byEmail: byEmail.body.data.length,
    points: contacts.body.data.flatMap(({ points }: { points: { type: string }[] }) =>
      points.map(({ type }) => type),
    ),
    links: contacts.body.data.flatMap(({ links }: { links: object[] }) => links).length,
    offers: offers.body.data.length,
    tasks: tasks.body.data.length,
    notes: timeline.body.data.filter(({ type }: { type: string }) => type === 'add_comment').length,
  };
}

const ONCE = {
  status: 'customer',
  contacts: 1,
  byEmail: 1,
  points: ['email', 'mobile'],
  links: 1,
  offers: 1,
  tasks: 1,
  notes: 1,
};

test('an order stopped at any call and recorded again is there once', async () => {
  const workspace = await world.workspace();
  const record = (order: Order) => (crm: Parameters<typeof recordOrder>[0]) =>
    recordOrder(crm, order, workspace.owner.email);
  const prospect = async () => newOrder({ orgnr: (await workspace.company()).orgnr });

  const whole = await prospect();
  const { calls } = await runUntilKilled(access(workspace), record(whole));
  expect(await recorded(workspace, whole)).toEqual(ONCE);

  const kills = MOMENTS.flatMap((moment) =>
    Array.from({ length: calls }, (_, index) => ({ call: index + 1, moment })),
  );
  expect(kills.length).toBeGreaterThanOrEqual(36);
  const outcomes = await Promise.all(
    kills.map(async (kill) => {
      const order = await prospect();
      const { killed } = await runUntilKilled(access(workspace), record(order), kill);
      await runUntilKilled(access(workspace, other), record(order));
      return { ...kill, killed, ...(await recorded(workspace, order)) };
    }),
  );
  expect(outcomes).toEqual(kills.map((kill) => ({ ...kill, killed: true, ...ONCE })));
});

test('two workers that record orders of one buyer at the same time leave one buyer', async () => {
  const workspace = await world.workspace();
  const outcomes = await Promise.all(
    Array.from({ length: RACES }, async () => {
      const one = newOrder();
      const two = newOrder({ orgnr: one.orgnr, buyer: { ...one.buyer, name: 'K. Nordmann' } });
      await Promise.all([
        recordOrder(createCrm(access(workspace)), one, workspace.owner.email),
        recordOrder(createCrm(access(workspace, other)), two, workspace.owner.email),
      ]);
      return recorded(workspace, one);
    }),
  );
  const twice = { ...ONCE, offers: 2, tasks: 2, notes: 2 };
  expect(outcomes).toEqual(outcomes.map(() => twice));
});

test('two workers that record the same order leave one of everything', async () => {
  const workspace = await world.workspace();
  const order = newOrder();
  await Promise.all(
    [world, other].map((on) => recordOrder(createCrm(access(workspace, on)), order, workspace.owner.email)),
  );
  expect(await recorded(workspace, order)).toEqual(ONCE);
});

test('an erased buyer who orders again is a new contact, and an old order brings nobody back', async () => {
  const workspace = await world.workspace();
  const crm = createCrm(access(workspace));
  const first = newOrder();
  await recordOrder(crm, first, workspace.owner.email);
  const { body } = await workspace.client.get(`/contacts?email=${encodeURIComponent(first.buyer.email)}`);
  await workspace.client.send({ method: 'DELETE', path: `/contacts/${body.data[0].id}` });

  await recordOrder(crm, first, workspace.owner.email);
  expect(await recorded(workspace, first)).toMatchObject({ byEmail: 0, contacts: 0, offers: 1 });
  await recordOrder(crm, newOrder({ orgnr: first.orgnr, buyer: first.buyer }), workspace.owner.email);
  expect(await recorded(workspace, first)).toEqual({ ...ONCE, offers: 2, tasks: 2, notes: 2 });
});
