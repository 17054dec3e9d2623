import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { startProxy } from '../../test/proxy.ts';
import { createWorld } from '../../test/world.ts';
import { connect } from './connect.ts';
import { LOCKS } from './locks.ts';
import { connectionSettings } from './session.ts';
import { statement } from './statement.ts';
import { DatabaseUnavailable } from './unavailable.ts';

const world = await createWorld();
const address = new URL(world.databaseUrl);
address.searchParams.set('options', '-c search_path=public -c statement_timeout=7000');
const service = await world.start({ url: address.href });

afterAll(() => world.query(`alter database ${address.pathname.slice(1)} reset timezone`));

test('instants are in UTC whatever the database and the address are set to', async () => {
  await world.query(`alter database ${address.pathname.slice(1)} set timezone to 'Europe/Oslo'`);
  const workspace = await world.workspace(service);
  const task = await workspace.task({ due_date: '2026-07-15T09:00:00Z' });
  expect(task.due_date).toBe('2026-07-15T09:00:00.000Z');
  expect(Math.abs(Date.parse(task.created_at) - Date.now())).toBeLessThan(60_000);
});

test('every advisory lock has a number of its own', () => {
  const numbers = Object.values(LOCKS);
  expect(new Set(numbers).size).toBe(numbers.length);
});

const ask = statement('ask', () => sql<{ one: number }>`select 1 as one`);

test('a transaction on a dead connection waits for one statement, not for its rollback as well', async () => {
  const line = await startProxy({ host: address.hostname, port: Number(address.port) });
  onTestFinished(() => line.stop());
  const through = Object.assign(new URL(world.databaseUrl), { port: String(line.port) });
  await using db = connect({ url: through.href, connections: 1, onIdleError: () => {} });
  const transaction = await db.begin();
  line.swallow();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const asking = transaction.row(ask, {});
  vi.advanceTimersByTime(connectionSettings(through.href).query_timeout as number);
  await expect(asking).rejects.toThrow(DatabaseUnavailable);
  vi.useRealTimers();
  const rolledBack = transaction.rollback().then(() => 'over');
  expect(await Promise.race([rolledBack, setImmediate('waits')])).toBe('over');
});

test('a transaction is refused at once where statements are', async () => {
  await using db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
  const first = await db.begin();
  const waiting = Promise.allSettled(Array.from({ length: 1_000 }, () => db.row(ask, {})));
  const refused = await Promise.allSettled([db.row(ask, {}), db.begin()]);
  await first.rollback();
  await waiting;
  const reason = new DatabaseUnavailable('too many requests wait for a database connection');
  expect(refused).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
});

const dawdle = statement('dawdle', () => sql<object>`select pg_sleep(60)`);

test('a statement that ends by the time limit of its transaction says that the database is unavailable', async ({
  skip,
}) => {
  await using db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
  // A connection from a pooler may be like this: a pooler loses what a session sets.
  const limit = "select set_config(name, '10', false) from pg_settings where name = 'transaction_timeout'";
  skip((await db.pool.query(limit)).rowCount === 0, 'PostgreSQL has this limit since version 17');
  await expect(db.row(dawdle, {})).rejects.toThrow(DatabaseUnavailable);
  expect(await db.row(ask, {})).toEqual({ one: 1 });
});

const findLevel = statement(
  'find level',
  () => sql<object>`select current_setting('transaction_isolation') as level`,
);

test('a transaction has its own isolation level, also on a connection from a pooler with another default', async () => {
  await using db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
  await db.pool.query("set default_transaction_isolation = 'serializable'");
  const found = await db.transaction((transaction) => transaction.row(findLevel, {}));
  expect(found).toEqual({ level: 'read committed' });
});
