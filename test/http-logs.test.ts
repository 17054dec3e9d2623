import { describe, expect, test } from 'vitest';
import type { Client } from './client.ts';
import { createWorld, type Running } from './world.ts';

const world = await createWorld({ keepLogs: true });

const JSON_TYPE = { 'content-type': 'application/json' };

/** Lines that tell of one answered request. */
function linesOf(running: Running, requestId: string): Record<string, unknown>[] {
  return running.logs.filter((line) => line['msg'] === 'request' && line['request_id'] === requestId);
}

/** The line is written once the answer is out, which may be after the client has it. */
async function lineOf(running: Running, requestId: string): Promise<Record<string, unknown>> {
  await expect.poll(() => linesOf(running, requestId).length, { interval: 2 }).toBeGreaterThan(0);
  expect(linesOf(running, requestId)).toHaveLength(1);
  return linesOf(running, requestId)[0]!;
}

const REQUESTS: [
  string,
  number,
  (client: Client, headers: Record<string, string>) => ReturnType<Client['send']>,
][] = [
  ['a read', 200, (client, headers) => client.send({ path: '/me', headers })],
  ['a list', 200, (client, headers) => client.send({ path: '/companies?limit=5', headers })],
  [
    'a creation',
    201,
    (client, headers) =>
      client.send({
        method: 'POST',
        path: '/contacts',
        headers: { ...headers, ...JSON_TYPE },
        body: '{"name":"x"}',
      }),
  ],
  [
    'a wrong field',
    400,
    (client, headers) =>
      client.send({ method: 'POST', path: '/contacts', headers: { ...headers, ...JSON_TYPE }, body: '{}' }),
  ],
  [
    'broken JSON',
    400,
    (client, headers) =>
      client.send({ method: 'POST', path: '/contacts', headers: { ...headers, ...JSON_TYPE }, body: '{' }),
  ],
  [
    'a wrong type',
    415,
    (client, headers) => client.send({ method: 'POST', path: '/contacts', headers, body: '{}' }),
  ],
  ['nothing found', 404, (client, headers) => client.send({ path: '/companies/923609016', headers })],
  ['an unknown path', 404, (client, headers) => client.send({ path: '/nothing', headers })],
  [
    'a path beside the API',
    404,
    (client, headers) => client.send({ path: '/nothing', absolute: true, headers }),
  ],
  ['a wrong method', 405, (client, headers) => client.send({ method: 'PUT', path: '/me', headers })],
  [
    'a wrong key',
    401,
    (client, headers) => client.send({ path: '/me', headers: { ...headers, authorization: 'Bearer x' } }),
  ],
  [
    'an address that is too long',
    414,
    (client, headers) => client.send({ path: `/me?${'x'.repeat(9_000)}`, headers }),
  ],
];

test.each(REQUESTS)(
  '%s is one line in the log, with its id and its status',
  async (what, status, request) => {
    const { client } = await world.workspace();
    const id = `log-${what.replaceAll(' ', '-')}`;
    const answer = await request(client, { 'x-request-id': id });
    expect(answer.status).toBe(status);
    const line = await lineOf(world, id);
    expect(line).toMatchObject({
      request_id: id,
      status,
      method: expect.any(String),
      ms: expect.any(Number),
    });
  },
);

test('an address that cannot be decoded is one line in the log as well', async () => {
  const { client } = await world.workspace();
  await client.send({ path: '/companies/%zz', headers: { 'x-request-id': 'log-undecodable' } });
  expect([400, 404]).toContain((await lineOf(world, 'log-undecodable'))['status']);
});

test('a line names the route as a pattern, the key by its public id and the workspace', async () => {
  const workspace = await world.workspace();
  const { client, id } = await workspace.key();
  const { orgnr } = await workspace.company();
  const answer = await client.get(`/companies/${orgnr}`);
  expect(await lineOf(world, String(answer.headers['x-request-id']))).toMatchObject({
    key_id: id,
    workspace_id: workspace.id,
    method: 'GET',
    route: '/api/v1/companies/{orgNr}',
    status: 200,
  });
});

test('neither keys nor the content of bodies and queries are logged', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const secret = client.token!.slice(15);
  const word = 'Hemmelighet';
  const { orgnr } = await workspace.company({ phone_number: word });
  await client.post('/contacts', { name: word, notes: word });
  await client.post('/contacts', { name: word, [word]: 1 });
  await client.post(`/companies/${orgnr}/notes`, { text: word });
  await client.send({ method: 'POST', path: '/contacts', headers: JSON_TYPE, body: `{"name":"${word}` });
  await client.get(`/users?email=${word}@example.no`);
  await client.get(`/users?${word}=1`);
  await client.get(`/me?api_key=${client.token}`);
  await client.get(`/${client.token}`);
  await world.client().send({ path: '/me', headers: { authorization: `Basic ${client.token}` } });
  await world.client().send({ path: '/me', headers: { authorization: `Bearer ${client.token}x` } });
  const last = await client.get('/me');
  await lineOf(world, String(last.headers['x-request-id']));
  const written = JSON.stringify(world.logs);
  expect(written).toContain(workspace.id);
  expect(written).not.toContain(secret);
  expect(written).not.toContain(word);
});

async function createBroken(how: string): Promise<Running> {
  const running = await world.start({ keepLogs: true });
  await world.query(how);
  return running;
}

describe('a defect', () => {
  test('is 500 for every operation that meets it, and the log has its cause under the request id', async () => {
    const broken = await createBroken('alter table contacts rename to contacts_gone');
    const { client } = await world.workspace(broken);
    const answer = await client.post('/contacts', { name: 'Kari' });
    expect([answer.status, answer.body]).toEqual([
      500,
      { error: expect.any(String), code: 'internal_error' },
    ]);
    const id = answer.headers['x-request-id'];
    const cause = broken.logs.find((line) => line['request_id'] === id && line['err']);
    expect(JSON.stringify(cause)).toContain('contacts');
    await world.query('alter table contacts_gone rename to contacts');
    expect((await client.post('/contacts', { name: 'Kari' })).status).toBe(201);
  });

  test('does not carry the refused row into the log', async () => {
    const broken = await createBroken(
      "alter table contacts add constraint no_boom check (name <> 'boom') not valid",
    );
    const { client } = await world.workspace(broken);
    const answer = await client.post('/contacts', { name: 'boom', notes: 'Taushetsplikt' });
    expect(answer.status).toBe(500);
    await world.query('alter table contacts drop constraint no_boom');
    const written = JSON.stringify(broken.logs);
    expect(written).toContain('no_boom');
    expect(written).not.toContain('Taushetsplikt');
  });
});

test('a write whose request id the change log replaced is logged with both ids', async () => {
  const { client } = await world.workspace();
  const create = async (id: string) => {
    const headers = { ...JSON_TYPE, 'x-request-id': id };
    const { body } = await client.send({ method: 'POST', path: '/contacts', headers, body: '{"name":"x"}' });
    const { data } = (await client.get('/changes?limit=1000')).body;
    const entry = data.find((each: { resource_id: string }) => each.resource_id === body.data.id);
    return { recorded: entry.request_id, line: await lineOf(world, id) };
  };
  const own = await create('order-4711');
  expect([own.recorded, own.line['recorded_request_id']]).toEqual(['order-4711', undefined]);
  const replaced = await create('order/4711');
  expect(replaced.recorded).toMatch(/^[0-9a-f-]{36}$/);
  expect(replaced.line['recorded_request_id']).toBe(replaced.recorded);
});
