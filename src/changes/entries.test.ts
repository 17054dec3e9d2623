import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ask, sampleOf } from '../../test/ask.ts';
import type { Client } from '../../test/client.ts';
import { EXPECTED } from '../../test/expected-entries.ts';
import { OPERATIONS } from '../../test/operations.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { maskOf, PERMISSIONS, type PermissionName } from '../keys/permissions.ts';
import type { Resource } from './schema.ts';

const world = await createWorld();

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// oxlint-disable-next-line typescript/no-explicit-any -- entries as they were answered
type Entry = any;

async function end(client: Client): Promise<string> {
  return (await client.get('/changes?cursor=now')).body.page.next_cursor;
}

async function entriesAfter(client: Client, cursor: string): Promise<Entry[]> {
  return (await client.get(`/changes?cursor=${cursor}`)).body.data;
}

/** What `act` wrote into the change log. */
async function entriesOf(workspace: Workspace, act: () => Promise<unknown>): Promise<Entry[]> {
  const cursor = await end(workspace.client);
  await act();
  return entriesAfter(workspace.client, cursor);
}

/** What a path names; a contact detail or company link is read from its list. */
async function read(
  client: Client,
  path: string,
): Promise<{ row: Entry; etag: string | undefined; text: string }> {
  const owned = /^(\/contacts\/[^/]+\/(?:points|companies))\/(\d+)$/.exec(path);
  const contact = await client.get(owned ? `/contacts/${path.split('/')[2]}` : path);
  const { etag } = contact.headers;
  if (!owned) return { row: contact.body.data, etag, text: contact.text };
  const row = (await client.get(owned[1]!)).body.data.find(
    ({ id }: { id: number }) => String(id) === owned[2],
  );
  return { row, etag, text: JSON.stringify(row) };
}

const writes = OPERATIONS.filter(({ route }) => !route.startsWith('GET '));

test('every operation that writes is tested here', () => {
  expect(writes.map(({ route }) => route).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
});

describe.each(writes)('$route', (operation) => {
  const expected = EXPECTED[operation.route]!;

  test('writes exactly one entry that says what changed, and who did it', async () => {
    const workspace = await world.workspace();
    const { id: keyId, client } = await workspace.key();
    const sample = await sampleOf(operation, workspace);
    const before = sample.method === 'PATCH' ? (await read(client, sample.path)).row : {};
    const same = Object.entries(sample.body ?? {}).filter(([name, value]) => before[name] === value);
    expect(same, 'the row has these already: give them other values in the `sample`').toEqual([]);
    const cursor = await end(client);
    const answer = await ask(client, sample);
    const data = answer.body?.data ?? { id: sample.path.split('/').at(-1) };
    const entries = await entriesAfter(client, cursor);
    expect(entries).toHaveLength(1);
    const [entry] = entries;
    expect(entry).toMatchObject({
      resource: expected.resource,
      resource_id: String(data.id),
      orgnr: ['company', 'note'].includes(expected.resource)
        ? (data.orgnr ?? sample.path.split('/')[2])
        : null,
      contact_id:
        { contact: data.id, point: sample.path.split('/')[2], link: sample.path.split('/')[2] }[
          expected.resource
        ] ?? null,
      action: expected.action,
      actor: { kind: 'key', id: keyId },
      request_id: answer.headers['x-request-id'],
    });
    expect(entry.fields.toSorted()).toEqual(expected.fields.toSorted());
    const values = expected.values.map((field) => [field, [before[field] ?? null, data[field]]]);
    expect(entry.values).toEqual(Object.fromEntries(values));
  });

  test('writes none when it fails', async () => {
    const workspace = await world.workspace();
    const sample = await sampleOf(operation, workspace);
    const entries = await entriesOf(workspace, async () => {
      const wrong = sample.body
        ? { ...sample, body: { ...sample.body, unknown: 1 } }
        : { ...sample, path: `${sample.path}?unknown=1` };
      const answer = await ask(workspace.client, wrong);
      expect(answer.status).toBe(400);
    });
    expect(entries).toEqual([]);
  });

  test.runIf(operation.route.startsWith('PATCH'))(
    'writes none for equal values, and leaves ETag and updated_at unchanged',
    async () => {
      const workspace = await world.workspace();
      const sample = await sampleOf(operation, workspace);
      await ask(workspace.client, sample);
      const before = await read(workspace.client, sample.path);
      const entries = await entriesOf(workspace, async () => {
        const answer = await ask(workspace.client, sample);
        // Details and links have no ETag of their own.
        const own = ['point', 'link'].includes(expected.resource) ? undefined : before.etag;
        expect([answer.status, answer.headers.etag]).toEqual([200, own]);
        const empty = await workspace.client.patch(sample.path, {});
        expect([empty.status, empty.headers.etag]).toEqual([200, own]);
      });
      expect(entries).toEqual([]);
      expect(await read(workspace.client, sample.path)).toEqual(before);
    },
  );
});

test('values hold no text and nothing that names a person', async () => {
  const workspace = await world.workspace();
  const cursor = await end(workspace.client);
  for (const operation of writes) await ask(workspace.client, await sampleOf(operation, workspace));
  const entries = await entriesAfter(workspace.client, cursor);
  expect(entries.length).toBeGreaterThan(writes.length);
  const told = entries.flatMap(({ values }): unknown[] => Object.values(values).flat());
  const texts = told.filter((value) => typeof value === 'string' && !UUID.test(value));
  expect(new Set(texts)).toEqual(new Set(['prospect', 'customer', 'lead', 'new', 'sent']));
});

const post = async (client: Client, id: string) =>
  client.send({
    method: 'POST',
    path: '/contacts',
    headers: { 'content-type': 'application/json', 'x-request-id': id },
    body: JSON.stringify({ name: 'Kari' }),
  });

describe('a request id', () => {
  test.each(['a', 'Order-12_b', 'x'.repeat(64)])('of the caller’s is kept: %s', async (id) => {
    const workspace = await world.workspace();
    const [entry] = await entriesOf(workspace, () => post(workspace.client, id));
    expect(entry.request_id).toBe(id);
  });

  test.each(['kari@example.no', 'a.b', 'a:b', 'x'.repeat(65), '+4790000000', 'Kari/Nordmann', '='])(
    'that could name a person is replaced by a new one: %s',
    async (id) => {
      const workspace = await world.workspace();
      const [entry] = await entriesOf(workspace, () => post(workspace.client, id));
      expect(entry.request_id).toMatch(UUID);
    },
  );
});

describe('a key sees the entries that it may read', () => {
  const READS: Record<Resource, readonly PermissionName[]> = {
    company: ['companies:read'],
    note: ['companies:read'],
    contact: ['contacts:read'],
    point: ['contacts:read'],
    link: ['contacts:read', 'companies:read'],
    task: ['tasks:read'],
    offer: ['offers:read'],
  };
  const RESOURCES = Object.keys(READS) as Resource[];

  test('with each of the masks, and whichever resource it asks for', async () => {
    const workspace = await world.workspace();
    for (const operation of writes) await ask(workspace.client, await sampleOf(operation, workspace));
    const whole = (await workspace.client.get('/changes?limit=1000')).body.data as Entry[];
    const reads = PERMISSIONS.filter((name) => name.endsWith(':read'));
    for (let subset = 1; subset < 2 ** reads.length; subset++) {
      const granted = reads.filter((_, bit) => Math.floor(subset / 2 ** bit) % 2 === 1);
      const { client } = await workspace.key(maskOf(granted));
      const visible = new Set(
        RESOURCES.filter((resource) => READS[resource].every((name) => granted.includes(name))),
      );
      const seen = await client.get('/changes?limit=1000');
      expect(seen.body.data).toEqual(whole.filter(({ resource }) => visible.has(resource)));
      for (const resource of RESOURCES) {
        const { body } = await client.get(`/changes?limit=1000&resource=${resource}`);
        const expected = visible.has(resource) ? whole.filter((entry) => entry.resource === resource) : [];
        expect(body.data).toEqual(expected);
      }
    }
  });

  test('and none with a key that reads nothing', async () => {
    const workspace = await world.workspace();
    const { client } = await workspace.key(['companies:write', 'offers:write']);
    expect((await client.get('/changes')).body.code).toBe('forbidden');
  });

  test('never another workspace’s, whatever its cursor', async () => {
    const [workspace, other] = [await world.workspace(), await world.workspace()];
    const id = randomUUID();
    for (const { client } of [workspace, other]) await client.post('/contacts', { id, name: 'Kari' });
    await other.contact();
    const foreign = await end(other.client);
    const own = await workspace.client.get('/changes');
    expect(own.body.data).toHaveLength(1);
    expect((await workspace.client.get(`/changes?cursor=${foreign}`)).body.code).toBe('cursor_expired');
  });
});
