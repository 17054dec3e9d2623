import { randomUUID } from 'node:crypto';
import { Client as Connection } from 'pg';
import { afterAll, expect, test } from 'vitest';
import type { Client } from '../../test/client.ts';
import { unjudged } from '../../test/unjudged.ts';
import { untilProcessed } from '../../test/until-processed.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld({ databaseConnections: 6 });
const other = await world.start({ databaseConnections: 6 });

type Entry = {
  id: number;
  resource: string;
  resource_id: string;
  action: string;
  values: Record<string, [unknown, unknown]>;
};

const connections: Connection[] = [];
afterAll(() => Promise.all(connections.map((connection) => connection.end())));

async function connectTo(url: string): Promise<Connection> {
  const connection = new Connection({ connectionString: url });
  connections.push(connection);
  // Dropping the database breaks connections that are still open.
  connection.on('error', () => {});
  await connection.connect();
  return connection;
}

const WRITERS = 32;
const ROUNDS = 8;
const times = <T>(count: number, make: (number: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, number) => make(number)));

/** Reads to the end again and again until `isOver`, and once more after that. */
async function follow(client: Client, query: string, isOver: () => boolean): Promise<Entry[]> {
  const seen: Entry[] = [];
  let cursor = '';
  for (let last = false; ; last = isOver()) {
    for (let more = true; more;) {
      const { status, body } = await untilProcessed(() => client.get(`/changes?${query}&cursor=${cursor}`));
      expect(status).toBe(200);
      seen.push(...body.data);
      cursor = body.page.next_cursor;
      more = body.page.has_more;
    }
    if (last) return seen;
  }
}

/** Inserts its entry, and ends its transaction only after a later change was committed and answered. */
async function writeSlowly(workspace: Workspace, connection: Connection, end: 'commit' | 'rollback') {
  const id = randomUUID();
  await connection.query('begin');
  await connection.query(
    `with written as (insert into contacts (tenant_id, id, name, notes) values ($1, $2, 'Sen', '') returning *)
     insert into changes (tenant_id, resource, resource_id, contact_id, action, fields, "values", actor_kind)
     select tenant_id, 'contact', id::text, id, 'created', '{name}', '{}', 'command' from written`,
    [workspace.id, id],
  );
  const { status } = await untilProcessed(() => workspace.client.post('/contacts', { name: 'Kari' }));
  expect(status).toBe(201);
  await connection.query(end);
  return id;
}

test('readers on two processes get each committed entry once and in order, whatever 32 writers do', async () => {
  const workspace = await world.workspace();
  const token = workspace.client.token!;
  const clients = [world.client(token), other.client(token)];
  const keyed = [unjudged(world, token), unjudged(other, token)];
  const offers = await times(4, () => workspace.offer());
  const contact = await workspace.contact();

  // Readers wait for neither transaction: one in this database that writes no entry, and one in another database.
  const importing = await connectTo(world.databaseUrl);
  await importing.query('begin');
  await importing.query('update workspaces set name = name where id = $1', [(await world.workspace()).id]);
  const elsewhere = await connectTo(world.serverUrl);
  await elsewhere.query('begin');
  await elsewhere.query('select txid_current()');

  let over = false;
  const readers = [
    follow(clients[0]!, 'limit=7', () => over),
    follow(clients[1]!, 'limit=50', () => over),
    follow(clients[0]!, 'limit=1000', () => over),
    follow(clients[1]!, 'limit=3&resource=offer', () => over),
  ];

  const won: Record<string, number> = {};
  let revenue = 0;
  const points: number[] = [];
  const slow: { commit: string[]; rollback: string[] } = { commit: [], rollback: [] };
  const slowConnection = await connectTo(world.databaseUrl);
  await Promise.all([
    ...Array.from({ length: WRITERS }, async (_, writer) => {
      for (let round = 0; round < ROUNDS; round++) {
        const by = (writer + round) % 2;
        const offer = offers[(writer * 7 + round) % offers.length]!;
        const change = { one_time_revenue: ++revenue };
        const { status } = await untilProcessed(() => clients[by]!.patch(`/offers/${offer.id}`, change));
        expect(status).toBe(200);
        won[offer.id] = (won[offer.id] ?? 0) + 1;
        if (round % 4 !== 0) continue;
        const added = {
          method: 'POST',
          path: `/contacts/${contact.id}/points`,
          headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
          body: '{"type":"mobile","value":"1"}',
        };
        // With its idempotency key the request may be repeated, also where it has waited too long for the contact.
        let point = await keyed[by]!.send(added);
        while (point.status === 503) point = await keyed[by]!.send(added);
        expect(point.status).toBe(201);
        points.push(point.body.data.id);
      }
    }),
    (async () => {
      for (let round = 0; round < 20; round++) {
        const end = round % 2 === 0 ? 'commit' : 'rollback';
        slow[end].push(await writeSlowly(workspace, slowConnection, end));
      }
    })(),
  ]);
  over = true;
  const [first, second, third, onlyOffers] = await Promise.all(readers);

  expect(first!.map(({ id }) => id)).toEqual(first!.map((_, index) => index + 1));
  expect(second).toEqual(first);
  expect(third).toEqual(first);
  expect(onlyOffers).toEqual(first!.filter(({ resource }) => resource === 'offer'));

  for (const { id } of offers) {
    const chain = first!.filter(({ resource, resource_id }) => resource === 'offer' && resource_id === id);
    expect([chain[0]!.action, chain.length]).toEqual(['created', 1 + won[id]!]);
    chain.reduce((before, { values }) => {
      expect(values['one_time_revenue']![0]).toBe(before);
      return values['one_time_revenue']![1];
    }, null as unknown);
    const { body } = await workspace.client.get(`/offers/${id}`);
    expect(chain.at(-1)!.values['one_time_revenue']![1]).toBe(body.data.one_time_revenue);
  }
  const createdOf = (wanted: string) =>
    first!.filter(({ resource }) => resource === wanted).map(({ resource_id }) => resource_id);
  expect(createdOf('point').toSorted()).toEqual(points.map(String).toSorted());
  const contacts = createdOf('contact');
  expect(contacts).toEqual(expect.arrayContaining(slow.commit));
  expect(new Set(contacts).isDisjointFrom(new Set(slow.rollback))).toBe(true);
  // The first contact, the ten slow ones that were committed, and one beside each of the twenty slow ones.
  expect([contacts.length, new Set(contacts).size]).toEqual([31, 31]);

  for (const connection of [importing, elsewhere]) await connection.query('rollback');
});

test('an entry that commits late comes after those that were read before it', async () => {
  const workspace = await world.workspace();
  const connection = await connectTo(world.databaseUrl);
  await connection.query('begin');
  const late = randomUUID();
  await connection.query(
    `insert into changes (tenant_id, resource, resource_id, action, fields, "values", actor_kind)
     values ($1, 'contact', $2, 'created', '{}', '{}', 'command')`,
    [workspace.id, late],
  );
  const { id } = await workspace.contact();
  const before = (await workspace.client.get('/changes')).body;
  expect(before.data.map(({ resource_id }: Entry) => resource_id)).toEqual([id]);
  await connection.query('commit');
  const after = (await workspace.client.get(`/changes?cursor=${before.page.next_cursor}`)).body;
  expect(after.data.map(({ resource_id }: Entry) => resource_id)).toEqual([late]);
});
