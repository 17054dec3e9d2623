import { Connection } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { connect, type Database } from './connect.ts';
import { execute, PreparedQuery } from './prepared-query.ts';

const world = await createWorld();
await world.query('create table parcels (id int, weight int, sent_at timestamptz)');
await world.query("insert into parcels values (1, 70, '2026-01-15T09:00:00Z')");

/** A pool of one connection, so that statements run one after another on it. */
const open = () => connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });

const weigh = () =>
  new PreparedQuery({ name: 'weigh', text: 'select id, weight from parcels where id = $1' }, [1]);
const lose = () => new PreparedQuery({ name: 'lose', text: 'delete from parcels where id = $1' }, [2]);
const sent = () => new PreparedQuery({ name: 'sent', text: 'select sent_at from parcels order by id' }, []);
const divide = () => new PreparedQuery({ name: 'divide', text: 'select 1 / 0' }, []);
const count = (words: unknown) =>
  new PreparedQuery({ name: 'count', text: 'select cardinality($1::text[]) as count' }, [words]);

async function onConnection(db: Database, query: PreparedQuery): Promise<unknown[]> {
  const client = await db.pool.connect();
  try {
    return await execute(client, query);
  } finally {
    client.release();
  }
}

afterEach(() => void vi.restoreAllMocks());

test('PostgreSQL is asked once per connection what a prepared statement returns', async () => {
  const describe = vi.spyOn(Connection.prototype, 'describe');
  for (let connections = 1; connections <= 2; connections++) {
    await using db = open();
    for (let time = 0; time < 3; time++) {
      expect(await execute(db.pool, weigh())).toEqual([{ id: 1, weight: 70 }]);
      expect(await execute(db.pool, lose())).toEqual([]);
      expect(await onConnection(db, weigh())).toEqual([{ id: 1, weight: 70 }]);
    }
    expect(describe).toHaveBeenCalledTimes(connections * 2);
  }
});

test('a statement without a name may return something else each time', async () => {
  await using db = open();
  for (const text of ['select 1 as one', "select 'two' as two", 'select 3 as one']) {
    const { rows } = await db.pool.query(text);
    expect(await execute(db.pool, new PreparedQuery({ name: undefined, text }, []))).toEqual(rows);
  }
});

test('a row is never read with the column types from before a migration', async () => {
  await using before = open();
  expect(await execute(before.pool, weigh())).toEqual([{ id: 1, weight: 70 }]);
  await world.query("alter table parcels alter weight type text using weight || ' kg'");
  await expect(execute(before.pool, weigh())).rejects.toThrow('cached plan must not change result type');
  await using after = open();
  expect(await execute(after.pool, weigh())).toEqual([{ id: 1, weight: '70 kg' }]);
});

test('a value that cannot be read fails its statement alone', async () => {
  await world.query("insert into parcels values (3, '5 kg', '2026-07-15T09:00:00Z')");
  await using db = open();
  await db.pool.query("set timezone = 'Europe/Oslo'");
  await expect(execute(db.pool, sent())).rejects.toThrow('the database session does not run in UTC');
  await db.pool.query("set timezone = 'UTC'");
  const [first] = await execute(db.pool, sent());
  expect(first).toEqual({ sent_at: '2026-01-15T09:00:00.000Z' });
});

test('a value that cannot be sent fails its statement alone', async () => {
  await using db = open();
  const endless: Record<string, unknown> = {};
  endless.self = endless;
  expect(() => count(endless)).toThrow('circular');
  await expect(execute(db.pool, count('no array'))).rejects.toThrow('malformed array');
  await expect(onConnection(db, count('no array'))).rejects.toThrow('malformed array');
  expect(await execute(db.pool, count(['a "b', null, 'c\\']))).toEqual([{ count: 3 }]);
});

test('the stack of an error names the function that sent the query', async () => {
  await using db = open();
  async function askPool(): Promise<void> {
    await execute(db.pool, divide());
  }
  async function askConnection(): Promise<void> {
    await onConnection(db, divide());
  }
  await expect(askPool()).rejects.toHaveProperty('stack', expect.stringContaining('askPool'));
  await expect(askConnection()).rejects.toHaveProperty('stack', expect.stringContaining('askConnection'));
});
