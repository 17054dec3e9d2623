import { expect, test } from 'vitest';
import { catchUp, openCopy } from '../../examples/accounting-copy.ts';
import { createCrm, followMerges } from '../../examples/crm.ts';
import { recordOrder } from '../../examples/shop-order.ts';
import { newOrder } from './shop-orders.ts';

// What a program of examples/ does where something between it and the service answers in the service's place.

type Answer = () => Response;

/** A client whose requests for a path get the answer given for it, and the paths that it has asked for. */
function clientOf(answers: Record<string, Answer>, options: { attempts?: number; patience?: number } = {}) {
  const asked: string[] = [];
  const crm = createCrm({
    address: 'http://crm.example/api/v1',
    key: 'kb_test',
    attempts: 1,
    ...options,
    async fetch(request) {
      const { pathname } = new URL((request as Request).url);
      asked.push(pathname);
      const answer = Object.entries(answers).find(([path]) => pathname.startsWith(`/api/v1${path}`));
      return answer![1]();
    },
  });
  return { crm, asked };
}

const notFound = () => new Response('404 page not found\n', { status: 404 });
const empty = () => new Response('', { status: 200, headers: { 'content-length': '0' } });

test('an order is not taken for recorded where a proxy answers 200 without a body', async () => {
  const { crm } = clientOf({ '/': empty });
  await expect(recordOrder(crm, newOrder(), 'kari@example.no')).rejects.toThrow('no body');
});

test('an answer without a body is asked for again', async () => {
  const answers = [empty, () => Response.json({ data: [] })];
  const { crm, asked } = clientOf({ '/users': () => answers.shift()!() }, { attempts: 2 });
  const { data } = await crm.GET('/users', { params: { query: { email: 'kari@example.no' } } });
  expect([data?.data, asked.length]).toEqual([[], 2]);
});

const change = { resource: 'company', resource_id: 'id-1', orgnr: '923609016', contact_id: null };
const changesOf = (data: object[]) => () =>
  Response.json({ data, page: { next_cursor: 'c1', has_more: false } });
const changed = changesOf([change]);

function copyOf(id: string) {
  const copy = openCopy(':memory:');
  copy.exec(`insert into rows values ('company', '${id}', '{}'); insert into progress values (1, 'c0')`);
  const ids = () =>
    copy
      .prepare('select id from rows')
      .all()
      .map((row) => row['id']);
  const cursor = () => copy.prepare('select cursor from progress').get()!['cursor'];
  return { copy, ids, cursor };
}

test('a copy keeps its rows where a proxy does not find the service', async () => {
  const { copy, ids, cursor } = copyOf('id-1');
  const { crm } = clientOf({ '/changes': changed, '/companies': notFound });
  await expect(catchUp(crm, copy)).rejects.toThrow('404');
  expect([ids(), cursor()]).toEqual([['id-1'], 'c0']);
});

test('a copy drops a company whose number another one has now', async () => {
  const { copy, ids, cursor } = copyOf('id-1');
  const { crm } = clientOf({
    '/changes': changed,
    '/companies': () => Response.json({ data: { id: 'id-2' } }),
  });
  await catchUp(crm, copy);
  expect([ids(), cursor()]).toEqual([[], 'c1']);
});

const done = () => Response.json({ data: [] }, { headers: { 'retry-after': '1' } });

test('a successful answer is taken as one, also where it has Retry-After', async () => {
  const { crm, asked } = clientOf({ '/users': done }, { attempts: 2 });
  const { data } = await crm.GET('/users', { params: { query: {} } });
  expect([data?.data, asked.length]).toEqual([[], 1]);
});

test('a copy stores a company that was removed and added again under its new id', async () => {
  const { copy, ids } = copyOf('id-1');
  const { crm } = clientOf({
    '/changes': changesOf([change, { ...change, resource_id: 'id-2' }]),
    '/companies': () => Response.json({ data: { id: 'id-2' } }),
  });
  await catchUp(crm, copy);
  expect(ids()).toEqual(['id-2']);
});

test('a contact counts neither as present nor as erased where a proxy does not find the service', async () => {
  for (const answer of [
    notFound,
    () => new Response(null, { status: 404, headers: { 'content-length': '0' } }),
  ]) {
    const { crm } = clientOf({ '/contacts': answer });
    await expect(followMerges(crm, '0199')).rejects.toThrow('404');
  }
});

test.each(['9999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'a program neither asks without end nor waits for ever: Retry-After %s',
  async (retryAfter) => {
    const busy = () => new Response('closed', { status: 503, headers: { 'retry-after': retryAfter } });
    const { crm, asked } = clientOf({ '/users': busy }, { attempts: 6 });
    const { response } = await crm.GET('/users', { params: { query: {} } });
    expect([response.status, asked.length]).toEqual([503, 1]);
  },
);

test('a date in Retry-After is the time until which a program would have to wait', async () => {
  const later = new Date(Date.now() + 3_600_000).toUTCString();
  const busy = () => new Response('closed', { status: 503, headers: { 'retry-after': later } });
  const { crm, asked } = clientOf({ '/users': busy }, { attempts: 6, patience: 60 });
  const { response } = await crm.GET('/users', { params: { query: {} } });
  expect([response.status, asked.length]).toEqual([503, 1]);
});
