import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { endWithFile, kundebokHere, ownDatabase } from '../../test/service.ts';
import { lineTo } from '../../test/stop-after.ts';
import { LOCKS } from './locks.ts';
import { migrate } from './migrate.ts';
import { findSchemaState, UnfitSchema } from './schema-state.ts';
import { readMigrations } from './migrations.ts';
import { DatabaseUnavailable } from './unavailable.ts';

endWithFile();

const CITIES = 'create table cities (name text);\n';
const ROADS = 'create table roads (length integer);\n';
const BRIDGES = 'create table bridges (height integer);\n';

/** A folder of migrations and an empty database, of one test. */
async function scratch() {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-migrations-'));
  const url = await ownDatabase({ empty: true });
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await rm(folder, { recursive: true });
  });
  return {
    url,
    add: (name: string, text: string) => writeFile(join(folder, name), text),
    remove: (name: string) => rm(join(folder, name)),
    migrate: (onUpgrade: (name: string) => void = () => {}) =>
      migrate(url, readMigrations(folder), { onUpgrade }),
    state: () => findSchemaState(client, readMigrations(folder)),
    rows: async (text: string) => (await client.query(text)).rows,
  };
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

test('an upgrade reports each migration that begins; the creation of a database reports none', async () => {
  const { add, migrate } = await scratch();
  const said: string[] = [];
  await add('0001_cities.sql', CITIES);
  await add('0002_roads.sql', ROADS);
  await migrate((name) => said.push(name));
  expect(said).toEqual([]);
  await add('0003_bridges.sql', BRIDGES);
  await add('0004_ferries.sql', 'create table ferries (name text)');
  await migrate((name) => said.push(name));
  await migrate((name) => said.push(name));
  expect(said).toEqual(['0003_bridges.sql', '0004_ferries.sql']);
});

const RECORDED = "select name, checksum ~ '^[0-9a-f]{64}$' as has_checksum from schema_migrations order by 1";

test('migrations are applied in the order of their numbers, each once, and recorded with a checksum', async () => {
  const { add, migrate, state, rows } = await scratch();
  await add('0002_roads.sql', ROADS);
  await add('0001_cities.sql', CITIES);
  await add('notes.txt', 'not a migration');
  expect(await state()).toMatchObject({ state: 'behind', found: 'schema version 0, this release knows 2' });
  expect(await migrate()).toEqual(['0001_cities.sql', '0002_roads.sql']);
  expect(await state()).toMatchObject({ state: 'current' });
  await add('0003_bridges.sql', BRIDGES);
  expect(await migrate()).toEqual(['0003_bridges.sql']);
  expect(await migrate()).toEqual([]);
  expect(await rows(RECORDED)).toEqual([
    { name: '0001_cities.sql', has_checksum: true },
    { name: '0002_roads.sql', has_checksum: true },
    { name: '0003_bridges.sql', has_checksum: true },
  ]);
});

test('a migration that was changed after it was applied is refused, and nothing after it is applied', async () => {
  const { add, migrate, state, rows } = await scratch();
  await add('0001_cities.sql', CITIES);
  await migrate();
  await add('0001_cities.sql', CITIES.replace('name text', 'name text not null'));
  await add('0002_roads.sql', ROADS);
  const found = 'migration 0001_cities.sql was changed after it was applied';
  expect(await state()).toMatchObject({ state: 'conflict', found });
  await expect(migrate()).rejects.toThrow(UnfitSchema);
  await expect(migrate()).rejects.toThrow(`The database cannot be used: ${found}: restore the file`);
  expect(await rows("select to_regclass('roads') as roads")).toEqual([{ roads: null }]);
});

test('a migration for which the space runs out is named, and rolled back', async () => {
  const { add, migrate, rows } = await scratch();
  await add('0001_cities.sql', `${CITIES}do $$ begin raise 'no space left' using errcode = '53100'; end $$;`);
  const migrating = migrate();
  await expect(migrating).rejects.toThrow(DatabaseUnavailable);
  await expect(migrating).rejects.toThrow(
    'Migration 0001_cities.sql was interrupted and rolled back (no space left)',
  );
  expect(await rows("select to_regclass('cities') as cities")).toEqual([{ cities: null }]);
});

test('kundebok migrate names the migration in which the connection was lost', async () => {
  const line = await lineTo(await ownDatabase({ empty: true }));
  onTestFinished(() => line.stop());
  line.cutAfter('create table register_units');
  const lost = await kundebokHere(['migrate'], { DATABASE_URL: line.url });
  expect(lost).toMatchObject({ code: 1, stdout: '' });
  expect(lost.stderr).toMatch(
    /^Migration 0002_\w+\.sql was interrupted and rolled back \(Connection terminated unexpectedly\): remove the cause/,
  );
  const { code, stdout } = await kundebokHere(['migrate', '--json'], { DATABASE_URL: line.url });
  expect([code, JSON.parse(stdout).applied[0]]).toEqual([0, expect.stringMatching(/^0002_/)]);
});

test('the line endings of a checkout do not count as a change', async () => {
  const { add, migrate, state } = await scratch();
  await add('0001_cities.sql', `${CITIES}-- Cities.\n`);
  await migrate();
  await add('0001_cities.sql', `${CITIES}-- Cities.\n`.replaceAll('\n', '\r\n'));
  expect(await state()).toMatchObject({ state: 'current' });
});

test('a migration with a lower number than one that was applied is refused, and nothing is changed', async () => {
  const { add, migrate, state, rows } = await scratch();
  await add('0001_cities.sql', CITIES);
  await add('0003_bridges.sql', BRIDGES);
  await migrate();
  await add('0002_roads.sql', ROADS);
  await add('0004_more.sql', 'create table more (n integer);');
  const found =
    'migration 0002_roads.sql has a lower number than 0003_bridges.sql, which was applied already';
  expect(await state()).toMatchObject({ state: 'conflict', found });
  await expect(migrate()).rejects.toThrow(
    `The database cannot be used: ${found}: give it the next free number`,
  );
  expect(await rows("select to_regclass('roads') as roads, to_regclass('more') as more")).toEqual([
    { roads: null, more: null },
  ]);
});

test('an applied migration that was removed or renamed is refused', async () => {
  const { add, remove, migrate, state } = await scratch();
  await add('0001_cities.sql', CITIES);
  await add('0002_roads.sql', ROADS);
  await add('0003_bridges.sql', BRIDGES);
  await migrate();
  await remove('0002_roads.sql');
  const found = 'migration 0002_roads.sql was applied, and this release does not have it';
  expect(await state()).toMatchObject({ state: 'conflict', found });
  await add('0002_streets.sql', ROADS);
  await expect(migrate()).rejects.toThrow(found);
});

test('two migrations with the same number are refused before any is applied', async () => {
  const { add, migrate, rows } = await scratch();
  await add('0001_cities.sql', CITIES);
  await add('0001_roads.sql', ROADS);
  await expect(async () => migrate()).rejects.toThrow(
    '0001_cities.sql and 0001_roads.sql have the same number',
  );
  expect(await rows("select to_regclass('cities') as cities")).toEqual([{ cities: null }]);
});

test('a database of a release without checksums works as it is, and gets them at the next start', async () => {
  const { add, migrate, state, rows } = await scratch();
  await add('0001_cities.sql', CITIES);
  await migrate();
  await rows('alter table schema_migrations drop column checksum');
  expect(await state()).toMatchObject({ state: 'current' });
  expect(await migrate()).toEqual([]);
  expect(await rows(RECORDED)).toEqual([{ name: '0001_cities.sql', has_checksum: true }]);

  // As left by a process of that release, which runs beside this one during an upgrade.
  await rows('update schema_migrations set checksum = null');
  await add('0002_roads.sql', ROADS);
  expect(await migrate()).toEqual(['0002_roads.sql']);
  await add('0001_cities.sql', `${CITIES}-- changed`);
  expect(await state()).toMatchObject({ state: 'conflict' });
});

test('a read-only database without checksums is left as it is', async () => {
  const { url, add, migrate, state, rows } = await scratch();
  await add('0001_cities.sql', CITIES);
  await migrate();
  await rows('update schema_migrations set checksum = null');
  await rows(`alter database ${nameOf(url)} set default_transaction_read_only = on`);
  expect(await migrate()).toEqual([]);
  expect(await state()).toMatchObject({ state: 'current' });
});

test.for(['read committed', 'repeatable read', 'serializable'])(
  'any number of processes may start at once, where transactions are %s by default too',
  async (level) => {
    const { url, add, migrate, rows } = await scratch();
    await rows(`alter database ${nameOf(url)} set default_transaction_isolation = '${level}'`);
    await add('0001_cities.sql', CITIES);
    await add('0002_roads.sql', ROADS);
    await rows(`select pg_advisory_lock(${LOCKS.migration})`);
    const done = Promise.all([migrate(), migrate(), migrate()]);
    const waiting = `select 1 from pg_locks join pg_database d on d.oid = database
      where locktype = 'advisory' and not granted and datname = current_database()`;
    await expect.poll(() => rows(waiting), { interval: 10 }).toHaveLength(3);
    await rows(`select pg_advisory_unlock(${LOCKS.migration})`);
    expect((await done).flat().toSorted()).toEqual(['0001_cities.sql', '0002_roads.sql']);
  },
);

const LIMITS = `select name, setting from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

test('a migration has no time limit but that of an attempt to get a lock, whatever the database sets', async () => {
  const { url, add, migrate, rows } = await scratch();
  const limits = await rows(LIMITS);
  for (const { name } of limits) await rows(`alter database ${nameOf(url)} set ${name} = '1min'`);
  // With this interval, PostgreSQL ends the work of a process that was killed.
  const check = "select current_setting('client_connection_check_interval') as interval";
  await add('0001_limits.sql', `create table limits as ${LIMITS}; create table checks as ${check};`);
  await migrate();
  expect(await rows('select * from checks')).toEqual([{ interval: '2s' }]);
  const expected = limits.map(({ name }) => ({ name, setting: name === 'lock_timeout' ? '2000' : '0' }));
  expect(await rows('select * from limits')).toEqual(expected);
});

test('a process waits for the migration of another one, however long that takes', async () => {
  const { add, migrate, rows } = await scratch();
  // Longer than a statement waits for a lock.
  await add('0001_cities.sql', `${CITIES}select pg_sleep(6);`);
  await rows('create table schema_migrations (version integer primary key, name text not null)');
  const first = migrate();
  const asleep =
    "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
  await expect.poll(() => rows(asleep), { interval: 10 }).toHaveLength(1);
  expect(await Promise.all([first, migrate()])).toEqual([['0001_cities.sql'], []]);
});

test('a migration that fails is named and rolled back, and those before it stay', async () => {
  const { add, migrate, state, rows } = await scratch();
  await add('0001_cities.sql', CITIES);
  await add('0002_roads.sql', `${ROADS}insert into nowhere values (1);`);
  await expect(migrate()).rejects.toThrow(
    'Migration 0002_roads.sql failed and was rolled back: relation "nowhere" does not exist',
  );
  expect(
    await rows("select to_regclass('cities') is not null as cities, to_regclass('roads') as roads"),
  ).toEqual([{ cities: true, roads: null }]);
  expect(await state()).toMatchObject({ state: 'behind' });
});

test('kundebok migrate says why a migration failed', async () => {
  const { url, rows } = await scratch();
  await rows('create table sessions (id integer)');
  expect(await kundebokHere(['migrate'], { DATABASE_URL: url })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Migration \d{4}_\w+\.sql failed and was rolled back: relation "sessions" already exists\n$/,
    ),
  });
});

test('a schema of a newer release is left alone', async () => {
  const { add, remove, migrate, state } = await scratch();
  await add('0001_cities.sql', CITIES);
  await add('0002_roads.sql', ROADS);
  await migrate();
  await remove('0002_roads.sql');
  expect(await state()).toMatchObject({ state: 'ahead', found: 'schema version 2, this release knows 1' });
  await expect(migrate()).rejects.toThrow(
    'start the newer release, or restore a backup made before the upgrade',
  );
});
