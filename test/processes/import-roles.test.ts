import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { generatedUnit } from '../../src/register/sandbox/generated.ts';
import { openClient, runSql } from '../database.ts';
import { generatedOrgnr } from '../generated-orgnr.ts';
import { recordOf } from '../register-records.ts';
import { kundebokHere } from '../service.ts';
import { startOwnPostgres } from './own-postgres.ts';

const postgres = await startOwnPostgres();
const owner = new URL(postgres.url).username;
const folder = await mkdtemp(join(tmpdir(), 'kundebok-import-roles-'));
afterAll(() => rm(folder, { recursive: true }));
const file = join(folder, 'units.json');
await writeFile(file, JSON.stringify([recordOf(generatedUnit(generatedOrgnr(0)))]));

/** What a new role gets: from the superuser, and from the owner of the tables. */
type Rights = { ofServer?: string; ofOwner?: string };

/** Imports the file as a new role. */
async function importAs(role: string, { ofServer = '', ofOwner = '' }: Rights) {
  await postgres.command(`create role ${role} login password 'x'; ${ofServer}`);
  await runSql(postgres.url, ofOwner);
  const url = Object.assign(new URL(postgres.url), { username: role, password: 'x' }).href;
  return kundebokHere(['register', 'import', file], { DATABASE_URL: url });
}

/** What the service's role reads of the mirror. */
async function readMirror() {
  await using client = await openClient(postgres.url);
  return (await client.query('select orgnr from register_units')).rows;
}

test.each<[string, Rights]>([
  [
    'visitor',
    {
      ofOwner:
        'grant create on schema public to visitor; grant all on all tables in schema public to visitor',
    },
  ],
  ['keeper', { ofServer: `grant ${owner} to keeper with inherit true, set false` }],
])(
  'an import by a role that cannot leave the table to its owner changes nothing: %s',
  async (role, rights) => {
    const { code, stderr } = await importAs(role, rights);
    expect(stderr).toContain(
      `The table register_units belongs to the role ${owner}: import with that role in DATABASE_URL\n`,
    );
    expect(code).toBe(1);
    expect(await readMirror()).toEqual([]);
  },
);

test.each<[string, Rights]>([
  ['admin', { ofServer: 'alter role admin superuser' }],
  ['deputy', { ofServer: `grant ${owner} to deputy` }],
])('an import by another role leaves the table to its owner: %s', async (role, rights) => {
  expect(await importAs(role, rights)).toMatchObject({ code: 0 });
  expect(await readMirror()).toEqual([{ orgnr: generatedOrgnr(0) }]);
});
