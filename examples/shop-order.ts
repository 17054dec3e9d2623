// Records a paid order of a web shop: the company, the buyer, an accepted offer, a note and a task. Needs Node 24.2.
//
//   CRM_ADDRESS=http://127.0.0.1:3000/api/v1 CRM_KEY=kb_… OWNER=kari@example.no node shop-order.ts order.json
//
// Run it again after any failure: everything is there once, wherever it was stopped, and also when several workers
// record orders of one buyer at once. Every POST has an id or a key. Keys, ids and bodies are made from the order,
// never from the clock or at random; what two orders share (the buyer, the buyer's addresses, the link to the
// company) has an id or a key made from what they share. All workers use the same API key.
import { readFile } from 'node:fs/promises';
import { crmFromEnvironment, expectData, followMerges, setting, stableId } from './crm.ts';
import type { Crm, Schemas } from './crm.ts';

type Timeline = { data: Schemas['CompanyTimelineEntry'][]; page: Schemas['CursorPage'] };

export type Order = {
  number: string;
  placedAt: string;
  orgnr: string;
  buyer: { name: string; email: string; mobile?: string };
  /** Whole kroner, without VAT. */
  total: number;
  lines: string[];
};

/** @param owner e-mail address of the workspace's user who looks after orders */
export async function recordOrder(crm: Crm, order: Order, owner: string): Promise<void> {
  const taskId = stableId('order', order.number, 'task');
  // The task is written last: where it exists, everything else does, also when the keys have been forgotten.
  const { data: recorded } = await crm.GET('/tasks/{id}', { params: { path: { id: taskId } } });
  if (recorded !== undefined) return;
  const userId = await findUser(crm, owner);
  const company = await addCustomer(crm, order);
  const contactId = await findOrCreateContact(crm, order);
  await addPoints(crm, contactId, order.buyer);
  await linkToCompany(crm, contactId, company.id);

  const title = `Order ${order.number}`;
  const offer = {
    id: stableId('order', order.number, 'offer'),
    title,
    user_id: userId,
    company_id: company.id,
    status: 'accepted',
    one_time_revenue: order.total,
  } as const;
  const isKeyRemembered = await unlessThere(
    crm.POST('/offers', { params: keyed('order', order.number, 'offer'), body: offer }),
  );
  // Keys are forgotten after 24 hours, the offer's before the note's: then the timeline tells whether the note exists.
  const text = [`${title}, ${order.buyer.name}`, ...order.lines].join('\n');
  if (isKeyRemembered || !(await hasNote(crm, order.orgnr, text))) {
    const params = { path: { orgNr: order.orgnr }, ...keyed('order', order.number, 'note') };
    await expectData(crm.POST('/companies/{orgNr}/notes', { params, body: { text } }));
  }
  const due = new Date(order.placedAt);
  due.setUTCDate(due.getUTCDate() + 14);
  const task = {
    id: taskId,
    title: `Ask how ${title.toLowerCase()} went`,
    user_id: userId,
    due_date: due.toISOString(),
    has_time_specified: false,
    related_company_id: company.id,
  };
  await unlessThere(crm.POST('/tasks', { params: keyed('order', order.number, 'task'), body: task }));
}

async function findUser(crm: Crm, email: string): Promise<string> {
  const { data } = await expectData(crm.GET('/users', { params: { query: { email } } }));
  if (data[0] === undefined) throw new Error(`The workspace has no user ${email}`);
  return data[0].id;
}

async function addCustomer(crm: Crm, { number, orgnr }: Order): Promise<Schemas['Company']> {
  const { data } = await expectData(
    crm.POST('/companies', {
      params: keyed('order', number, 'company'),
      body: { orgnr, status: 'customer' },
    }),
  );
  // A company that was there keeps its status; one that has bought is a customer.
  if (data.status === 'customer') return data;
  const path = { orgNr: orgnr };
  await expectData(crm.PATCH('/companies/{orgNr}', { params: { path }, body: { status: 'customer' } }));
  return data;
}

async function findOrCreateContact(crm: Crm, { buyer }: Order): Promise<string> {
  const email = buyer.email.toLowerCase();
  const found = await expectData(crm.GET('/contacts', { params: { query: { email, limit: 1 } } }));
  if (found.data[0] !== undefined) return found.data[0].id;
  for (let life = 1; ; life++) {
    const id = stableId('buyer', email, life);
    // No key: with one, the answer for an erased buyer is the error `erased`. A buyer who orders again gets a new id.
    if (await unlessThere(crm.POST('/contacts', { body: { id, name: buyer.name } }))) return id;
    const there = await followMerges(crm, id);
    if (there !== undefined) return there;
  }
}

async function addPoints(crm: Crm, id: string, { email, mobile }: Order['buyer']): Promise<void> {
  const path = { id };
  const { data } = await expectData(crm.GET('/contacts/{id}/points', { params: { path } }));
  const there = new Set(data.map(({ value }) => value.toLowerCase()));
  const points: Schemas['ContactPointCreate'][] = [{ type: 'email', value: email.toLowerCase() }];
  if (mobile) points.push({ type: 'mobile', value: mobile });
  for (const body of points.filter(({ value }) => !there.has(value.toLowerCase()))) {
    const params = { path, ...keyed('point', id, body.type, body.value) };
    await expectData(crm.POST('/contacts/{id}/points', { params, body }));
  }
}

async function linkToCompany(crm: Crm, id: string, companyId: string): Promise<void> {
  const path = { id };
  const { data } = await expectData(crm.GET('/contacts/{id}/companies', { params: { path } }));
  if (data.some(({ company_id }) => company_id === companyId)) return;
  const params = { path, ...keyed('link', id, companyId) };
  await expectData(crm.POST('/contacts/{id}/companies', { params, body: { company_id: companyId } }));
}

async function hasNote(crm: Crm, orgNr: string, text: string): Promise<boolean> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const params = { path: { orgNr }, query: { cursor, limit: 100 } };
    const list: Timeline = await expectData(crm.GET('/companies/{orgNr}/timeline', { params }));
    if (list.data.some(({ content }) => 'text' in content && content.text === text)) return true;
    cursor = list.page.next_cursor;
  }
  return false;
}

/** Waits for a POST with an id of ours. @returns false where another request has used the id, which is as good */
async function unlessThere(call: Parameters<typeof expectData>[0]): Promise<boolean> {
  const answer = await call;
  if (answer.error?.code === 'id_already_used') return false;
  await expectData(Promise.resolve(answer));
  return true;
}

function keyed(...from: string[]) {
  return { header: { 'Idempotency-Key': stableId('shop', ...from) } };
}

if (import.meta.main) {
  const owner = setting('OWNER', 'the e-mail address of a member of the workspace');
  const order = JSON.parse(await readFile(process.argv[2] ?? 'order.json', 'utf8')) as Order;
  await recordOrder(crmFromEnvironment(), order, owner);
  console.error(`Order ${order.number} is recorded`);
}
