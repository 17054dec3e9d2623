import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Pool } from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { startPrimaryAndStandby } from './own-postgres.ts';
import { endWithFile, kundebokHere, startService } from '../service.ts';
import { answerWithinSecond } from '../until.ts';
import { createWorkspace } from '../workspace.ts';
import { createWorld } from '../world.ts';

endWithFile();

const world = await createWorld();
const { primary, standby } = await startPrimaryAndStandby();
const { username, password, pathname } = new URL(primary.url);
const login = `postgres://${username}:${password}@`;

/** A server that takes connections and never says a word. */
const silent = createServer().listen(0, '127.0.0.1');
await once(silent, 'listening');
afterAll(() => void silent.close());
const silentHost = `127.0.0.1:${(silent.address() as AddressInfo).port}`;

const several = (...hosts: string[]) =>
  `${login}${hosts.join(',')}${pathname}?target_session_attrs=read-write`;

async function readyz(origin: string): Promise<[status: number, error: string | undefined]> {
  const answer = await fetch(`${origin}/readyz`);
  return [answer.status, ((await answer.json()) as { error?: string }).error];
}

const READY = [200, undefined];

describe.concurrent('DATABASE_URL', () => {
  const { hostname, port } = new URL(primary.url);
  const credentials = `user=${username}&password=${password}`;
  test.for([
    ['several hosts', several('127.0.0.1:1', standby.host, silentHost, primary.host)],
    ['a socket folder in the query', `${login}/kundebok?host=${primary.socket}&port=${port}`],
  ] as const)('with %s serves the service', async ([, url]) => {
    const service = await startService({ DATABASE_URL: url });
    expect(await readyz(service.origin)).toEqual(READY);
    await service.stop();
  });

  test.for([
    ['several hosts', several('127.0.0.1:1', standby.host, silentHost, primary.host)],
    ['hosts in the query', `postgres:///kundebok?${credentials}&host=127.0.0.1,${hostname}&port=1,${port}`],
    ['a socket folder as host', `${login}${encodeURIComponent(primary.socket)}:${port}/kundebok`],
  ] as const)('with %s serves commands', async ([, url]) => {
    const { code, stderr } = await kundebokHere(['doctor'], { DATABASE_URL: url });
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('a database that takes no writes', () => {
  test('is named by doctor, with what to do', async () => {
    const { code, stdout } = await kundebokHere(['doctor', '--json'], { DATABASE_URL: standby.url });
    const found = JSON.parse(stdout).filter(({ ok }: { ok: boolean }) => !ok);
    expect(code).toBe(1);
    expect(found).toEqual([
      { check: 'writes', ok: false, found: expect.stringContaining('standby'), advice: expect.any(String) },
    ]);
  });

  test('is served as far as it goes, and /readyz says what is the matter', async () => {
    const service = await startService({ DATABASE_URL: standby.url });
    expect(await readyz(service.origin)).toEqual([503, expect.stringContaining('standby')]);
    await service.stop();
  });

  test('is told from one that does not answer, when it is set to read-only', async () => {
    const service = await startService({ DATABASE_URL: primary.url });
    await setReadOnly('on');
    const error = expect.stringContaining('read-only (default_transaction_read_only)');
    await expect.poll(() => readyz(service.origin), { interval: 10 }).toEqual([503, error]);
    const { code, stdout } = await kundebokHere(['doctor', '--json'], { DATABASE_URL: primary.url });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'writes',
      ok: false,
      found: error,
      advice: expect.any(String),
    });
    await setReadOnly('off');
    await expect.poll(() => readyz(service.origin), { interval: 10 }).toEqual(READY);
    await service.stop();
  });
});

async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  await primary.command(`alter system set default_transaction_read_only = ${value}`);
  await primary.command('select pg_reload_conf()');
}

test('a failover is followed: writes and revocations go to the new primary, connections to the old are left', async () => {
  const service = await world.start({ url: several(primary.host, standby.host), databaseConnections: 4 });
  const promoted = new Pool({ connectionString: standby.url, max: 2 }).on('error', () => {});
  onTestFinished(() => promoted.end());
  const write = async () => (await service.client(token).post('/contacts', { name: 'Kari' })).status;

  // No replication runs between the two: the new primary gets a workspace of its own, after its promotion.
  await standby.command('select pg_promote()');
  const query = async (text: string, values?: unknown[]) => (await promoted.query(text, values)).rows;
  await setReadOnly('on');
  const workspace = await createWorkspace(query, service);
  const { id, token } = await workspace.key();
  await expect.poll(write, { interval: 10 }).toBe(201);
  expect(await query('select count(*)::int as n from contacts where tenant_id = $1', [workspace.id])).toEqual(
    [{ n: 1 }],
  );

  await expect.poll(() => readyz(service.origin), { interval: 10 }).toEqual(READY);
  await query('update api_keys set revoked_at = now() where id = $1', [id]);
  expect(await answerWithinSecond(write, 401)).toBe(401);
  await setReadOnly('off');
});
