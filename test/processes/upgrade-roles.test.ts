import { expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { RELEASED } from '../../src/db/migrations.ts';
import { openClient, runSql } from '../database.ts';
import { kundebokHere } from '../service.ts';
import { startOwnPostgres } from './own-postgres.ts';

const postgres = await startOwnPostgres();
const owner = new URL(postgres.url).username;

/** What a new role gets: from the superuser, and from the owner of the tables. */
type Rights = { ofServer?: string; ofOwner?: string };

/** Brings a database of an earlier release up to date as a new role. */
async function upgradeAs(role: string, { ofServer = '', ofOwner = '' }: Rights) {
  await postgres.command(`create role ${role} login password 'x'; ${ofServer}`);
  await postgres.command(`create database ${role} owner ${owner}`);
  const url = Object.assign(new URL(postgres.url), { pathname: `/${role}` }).href;
  await migrate(url, RELEASED.slice(0, 5));
  await runSql(url, ofOwner);
  const other = Object.assign(new URL(url), { username: role, password: 'x' }).href;
  const ended = await kundebokHere(['migrate'], { DATABASE_URL: other });
  await using client = await openClient(url);
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
    `The tables belong to the role ${owner}, and visitor may not act as it: grant ${owner} to visitor, or make visitor their owner\n`,
  );
});
