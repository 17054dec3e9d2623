import { afterAll, expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { LOCKS } from './locks.ts';

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
