import { randomUUID } from 'node:crypto';
import type { Order } from '../../examples/shop-order.ts';
import { freshOrgnr } from '../workspace.ts';
import type { Running, Workspace } from '../world.ts';

export function newOrder(fields: Partial<Order> = {}): Order {
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

export const access = ({ client }: Workspace, on: Running) => ({
  address: `${on.origin}/api/v1`,
  key: client.token!,
});

/** How many of each kind there are of an order's buyer and company. */
export async function recorded({ client }: Workspace, order: Order) {
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

export const ONCE = {
  status: 'customer',
  contacts: 1,
  byEmail: 1,
  points: ['email', 'mobile'],
  links: 1,
  offers: 1,
  tasks: 1,
  notes: 1,
};
