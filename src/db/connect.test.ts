import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../../test/proxy.ts';
import { createWorld } from '../../test/world.ts';
import { connect } from './connect.ts';
import { LOCKS } from './locks.ts';
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

test('a transaction on a line gone dead waits for one statement, not for its rollback as well', async () => {
  const line = await startProxy({ host: address.hostname, port: Number(address.port) });
  onTestFinished(() => line.stop());
  const through = Object.assign(new URL(world.databaseUrl), { port: String(line.port) });
  through.searchParams.set('query_timeout', '1000');
  await using db = connect({ url: through.href, connections: 1, onIdleError: () => {} });
  const transaction = await db.begin();
  line.swallow();
  const ask = statement('ask', () => sql<{ one: number }>`select 1 as one`);
  await expect(transaction.row(ask, {})).rejects.toThrow(DatabaseUnavailable);
  const rolledBack = transaction.rollback().then(() => 'over');
  expect(await Promise.race([rolledBack, setImmediate('waits')])).toBe('over');
});
