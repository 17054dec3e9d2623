import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { startProxy } from '../../test/proxy.ts';
import { createWorld } from '../../test/world.ts';
import { connectionSettings, Session } from './session.ts';

const world = await createWorld();
const direct = new URL(world.databaseUrl);
const line = await startProxy({ host: direct.hostname, port: Number(direct.port) });
const url = Object.assign(new URL(world.databaseUrl), { port: String(line.port) }).href;
afterAll(() => line.stop());

async function open(): Promise<Session> {
  const session = new Session(connectionSettings(url));
  await session.connect();
  return session;
}

test('a session runs in UTC with time limits, and sees no pooler where there is none', async () => {
  const session = await open();
  const { rows } = await session.query(
    `select name, setting from pg_settings where name in
       ('TimeZone', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`,
  );
  expect(rows.map(({ name, setting }) => `${name} ${setting}`)).toEqual([
    'TimeZone UTC',
    'idle_in_transaction_session_timeout 10000',
    'lock_timeout 5000',
    'statement_timeout 8000',
  ]);
  // A server that is alive cancels the statement before the client gives the connection up.
  expect(connectionSettings(url).query_timeout).toBe(9_000);
  expect(session.pooled).toBe(false);
  await session.end();
});

test('a long transaction has no time limits, also on a connection from a pooler that has some', async () => {
  const session = await open();
  const limits = await session.query<{ name: string }>(
    `select name from pg_settings where name in
       ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`,
  );
  const names = limits.rows.map(({ name }) => name);
  await session.query(names.map((name) => `set ${name} = '1min'`).join(';'));
  await session.beginUnlimited();
  const { rows } = await session.query(
    'select name from pg_settings where name = any($1) and setting <> $2',
    [names, '0'],
  );
  expect(rows).toEqual([]);
  await session.end();
});

test.for([
  ['of an address with several hosts', `${direct.host},${direct.host}`, '', '"$user", public'],
  ['of an address without options', direct.host, '', '"$user", public'],
  ['of an address with options', direct.host, '?options=-c%20search_path%3Dthere', 'there'],
])('a session %s ignores PGOPTIONS', async ([, hosts, query, path]) => {
  vi.stubEnv('PGOPTIONS', '-c search_path=elsewhere -c default_transaction_read_only=on');
  onTestFinished(() => void vi.unstubAllEnvs());
  const address = direct.href.replace(direct.search, '').replace(direct.host, hosts!);
  const session = new Session(connectionSettings(address + query));
  await session.connect();
  const { rows } = await session.query('show search_path');
  expect(rows).toEqual([{ search_path: path }]);
  await session.end();
});

test('a session on a dead connection ends', async () => {
  const session = await open();
  line.swallow();
  await expect(session.end()).resolves.toBeUndefined();
  line.pass();
});

test('a session that ends before it is connected sends no Terminate message', async () => {
  const heard: unknown[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('data', (bytes) => heard.push(bytes)).on('error', () => {});
    socket.on('close', () => closed.resolve());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const session = new Session(connectionSettings(`postgres://kundebok@127.0.0.1:${port}/crm`));
  session.connect().catch(() => {});
  await session.end();
  // If the session's connection was made at all, the server accepts it before this one.
  connect(port, '127.0.0.1').end();
  await closed.promise;
  // PostgreSQL would take Terminate for a startup packet of an invalid length, and log it.
  expect(heard).toEqual([]);
});
