import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startProxy } from './proxy.ts';
import { untilProcessed } from './until-processed.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const direct = new URL(world.databaseUrl);
const line = await startProxy({ host: direct.hostname, port: Number(direct.port) });
const url = Object.assign(new URL(world.databaseUrl), { port: String(line.port) }).href;
const service = await world.start({ url, databaseConnections: 2 });
// Gives a dead connection up after one second instead of nine, so that the test takes less time.
const hurried = new URL(url);
hurried.searchParams.set('query_timeout', '1000');
const impatient = await world.start({ url: hurried.href, databaseConnections: 2 });

afterEach(() => line.pass());
afterAll(() => line.stop());

const probe = async (path: string, at = service) => (await fetch(at.origin + path)).status;

async function back(at = service): Promise<void> {
  await expect.poll(() => probe('/readyz', at), { interval: 20 }).toBe(200);
}

describe('while the database is unavailable', () => {
  test('every request is 503 with Retry-After, the process lives and says it is not ready; then requests succeed', async () => {
    const workspace = await world.workspace(service);
    const contact = await workspace.contact();
    line.refuse();
    for (const answer of [
      await workspace.client.get(`/contacts/${contact.id}`),
      await workspace.client.post('/contacts', { name: 'Kari' }),
      await workspace.client.get('/companies'),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([503, 'temporarily_unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect([await probe('/healthz'), await probe('/readyz')]).toEqual([200, 503]);
    line.pass();
    await back();
    expect((await workspace.client.get(`/contacts/${contact.id}`)).status).toBe(200);
  });

  test('a dead connection is given up, and requests succeed once the database answers again', async () => {
    const client = impatient.client((await world.workspace()).client.token);
    // On a busy machine any statement may take longer than this service waits.
    const get = async () => (await client.get('/companies')).status;
    await expect.poll(get).toBe(200);
    line.swallow();
    const statuses = await Promise.all(Array.from({ length: 6 }, get));
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 503));
    expect([await probe('/healthz', impatient), await probe('/readyz', impatient)]).toEqual([200, 503]);
    line.pass();
    await back(impatient);
    await expect.poll(get).toBe(200);
  });

  test('a request does not try every connection of the pool when none can be made', async () => {
    const workspace = await world.workspace();
    const fresh = await world.start({ url, databaseConnections: 60 });
    line.swallow();
    const before = line.opened();
    expect((await fresh.client(workspace.client.token).get('/companies')).status).toBe(503);
    // The listeners for revoked keys make a few attempts of their own meanwhile.
    expect(line.opened() - before).toBeLessThan(40);
  });
});

describe('when connections break', () => {
  test('reads go on as if nothing had happened', async () => {
    const workspace = await world.workspace(service);
    await Promise.all(Array.from({ length: 8 }, () => workspace.client.get('/companies')));
    await world.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const read = () => untilProcessed(() => workspace.client.get('/companies'));
    const answers = await Promise.all(Array.from({ length: 30 }, read));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('a write whose answer was lost is not acknowledged, and its repeat shows that it was done', async () => {
    const workspace = await world.workspace(service);
    const contact = { id: randomUUID(), name: 'Avbrutt Nordmann' };
    line.cutAfter(contact.id);
    const lost = await workspace.client.post('/contacts', contact);
    expect([lost.status, lost.body.code]).toEqual([503, 'temporarily_unavailable']);
    const again = await workspace.client.post('/contacts', contact);
    expect([again.status, again.body.code]).toEqual([409, 'id_already_used']);
    expect((await workspace.client.get(`/contacts/${contact.id}`)).body.data.name).toBe('Avbrutt Nordmann');
  });

  test('a write that PostgreSQL never got is not stored, and can be repeated', async () => {
    const workspace = await world.workspace(service);
    await workspace.contact();
    line.refuse();
    const contact = { id: randomUUID(), name: 'Aldri Sendt' };
    expect((await workspace.client.post('/contacts', contact)).status).toBe(503);
    line.pass();
    await back();
    expect((await workspace.client.post('/contacts', contact)).status).toBe(201);
  });
});

const alterDatabase = (change: string) =>
  world.query(`begin read write; alter database ${direct.pathname.slice(1)} ${change}; commit`);

/** Makes connections opened from now on read-only, until the test ends or the returned function is called. */
async function makeReadOnly(): Promise<() => Promise<unknown>> {
  const reset = () => alterDatabase('reset default_transaction_read_only');
  onTestFinished(async () => void (await reset()));
  await alterDatabase('set default_transaction_read_only = on');
  return reset;
}

test('people can read in a read-only database, long after the last use of their session was recorded', async () => {
  const workspace = await world.workspace();
  const session = await workspace.sessionOf();
  await world.query("update sessions set last_used_at = now() - interval '11 minutes' where user_id = $1", [
    workspace.owner.id,
  ]);
  await makeReadOnly();
  const browser = (await world.start()).browser(session);
  for (const path of ['/companies', '/session']) expect((await browser.get(path)).status).toBe(200);
});

test('in a read-only database, changes end at the last entry that has a number; the rest follows later', async () => {
  const workspace = await world.workspace();
  const contact = await workspace.contact();
  const { next_cursor } = (await workspace.client.get('/changes')).body.page;
  await workspace.client.patch(`/contacts/${contact.id}`, { name: 'Ny' });
  const makeWritable = await makeReadOnly();
  const client = (await world.start()).client(workspace.client.token);
  for (const query of [`cursor=${next_cursor}`, `cursor=${next_cursor}&wait=1`, 'cursor=now']) {
    const { status, body } = await client.get(`/changes?${query}`);
    expect([status, body.data, body.page]).toMatchObject([200, [], { has_more: false, next_cursor }]);
  }
  await makeWritable();
  const { body } = await workspace.client.get(`/changes?cursor=${next_cursor}`);
  expect(body.data).toMatchObject([{ resource_id: contact.id, fields: ['name'] }]);
});

test.for([{}, { 'idempotency-key': randomUUID() }])(
  'a read-only connection to a server that takes writes again is given up at the first write: %o',
  async (headers) => {
    const workspace = await world.workspace();
    const makeWritable = await makeReadOnly();
    const fresh = await world.start({ databaseConnections: 1 });
    const client = fresh.client(workspace.client.token);
    expect((await client.get('/companies')).status).toBe(200);
    await makeWritable();
    const write = () =>
      client.send({
        method: 'POST',
        path: '/contacts',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ name: 'Kari' }),
      });
    // The service may write first, to record that the key is used.
    expect([503, 201]).toContain((await write()).status);
    expect((await write()).status).toBe(201);
  },
);

describe('under more writers than connections', () => {
  test.for([16, 64, 256])('%i writers are all served or told to wait, and none hangs', async (writers) => {
    const workspace = await world.workspace(service);
    const answers = await Promise.all(
      Array.from({ length: writers }, (_, n) => workspace.client.post('/contacts', { name: `Skriver ${n}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
    const rows = await world.query('select count(*)::int as n from contacts where tenant_id = $1', [
      workspace.id,
    ]);
    expect(rows[0].n).toBe(statuses.filter((status) => status === 201).length);
    expect((await workspace.client.get('/companies')).status).toBe(200);
  });
});
