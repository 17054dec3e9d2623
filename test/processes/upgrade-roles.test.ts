import { expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { RELEASED } from '../../src/db/migrations.ts';
import { openClient, runSql } from '../database.ts';
import { kundebokHere } from '../service.ts';
import { startOwnPostgres } from './own-postgres.ts';

const postgres = await startOwnPostgres();
const owner = new URL(postgres.url).username;

/** What a superuser does on the server, the owner of the tables in the database, and then another superuser there. */
type Rights = { ofServer?: string; ofOwner?: string; ofSuperuser?: string };

await postgres.command("create role chief login superuser password 'x'");

/** Brings a database of an earlier release up to date as a new role. */
async function upgradeAs(role: string, { ofServer = '', ofOwner = '', ofSuperuser = '' }: Rights) {
  await postgres.command(`create role ${role} login password 'x'; ${ofServer}`);
  await postgres.command(`create database ${role} owner ${owner}`);
  const url = Object.assign(new URL(postgres.url), { pathname: `/${role}` }).href;
  await migrate(url, RELEASED.slice(0, 5));
  await runSql(url, ofOwner);
  const as = (username: string) => Object.assign(new URL(url), { username, password: 'x' }).href;
  await runSql(as('chief'), ofSuperuser);
  const ended = await kundebokHere(['migrate'], { DATABASE_URL: as(role) });
  await using client = await openClient(as('chief'));
  const { rows } = await client.query(
    `select distinct relowner::regrole::text as owner from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`,
  );
  const { rows: applied } = await client.query('select version from schema_migrations');
  return { ...ended, owners: rows.map((row) => row.owner), applied: applied.length };
}

test.each<[string, Rights]>([
  ['admin', { ofServer: 'alter role admin superuser' }],
  ['deputy', { ofServer: `grant ${owner} to deputy` }],
])('an upgrade by another role leaves all tables to the one that has them: %s', async (role, rights) => {
  expect(await upgradeAs(role, rights)).toMatchObject({
    code: 0,
    owners: [owner],
    applied: RELEASED.length,
  });
});

test('an upgrade by a role that could not do so is refused before it changes anything', async () => {
  const { code, stderr, owners, applied } = await upgradeAs('visitor', {
    ofOwner: 'grant create on schema public to visitor; grant all on all tables in schema public to visitor',
  });
  expect([code, owners, applied]).toEqual([1, [owner], 5]);
  expect(stderr).toBe(
    `The tables belong to the role ${owner}, and visitor may not act as it: make visitor their owner, or grant ${owner} to visitor\n`,
  );
});

test('nobody is told to let the service act as a superuser', async () => {
  const { code, stderr } = await upgradeAs('servant', {
    ofSuperuser: `reassign owned by ${owner} to chief;
      grant create on schema public to servant; grant all on all tables in schema public to servant`,
  });
  expect([code, stderr]).toEqual([
    1,
    'The tables belong to the role chief, and servant may not act as it: make servant their owner\n',
  ]);
});

test('an upgrade is refused where the owner of the tables may create none', async () => {
  const { code, stderr, applied } = await upgradeAs('boss', {
    ofServer: 'alter role boss superuser',
    ofSuperuser: 'alter database boss owner to boss',
  });
  expect([code, applied]).toEqual([1, 5]);
  expect(stderr).toBe(
    `The schema cannot be brought up to date: the role ${owner} may not create tables in the schema public: alter database boss owner to ${owner}\n`,
  );
});

test('an upgrade names the table that belongs to another role', async () => {
  const { code, stderr, applied } = await upgradeAs('clerk', {
    ofServer: 'alter role clerk superuser',
    ofSuperuser: 'alter table companies owner to clerk',
  });
  expect([code, applied]).toEqual([1, 7]);
  expect(stderr).toMatch(
    /^Migration \S+ failed and was rolled back: must be owner of table companies: give it to the role that owns the table schema_migrations\n$/,
  );
});
