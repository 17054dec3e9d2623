import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { generatedUnit } from '../../src/register/sandbox/generated.ts';
import { openClient, runSql } from '../database.ts';
import { generatedOrgnr } from '../generated-orgnr.ts';
import { recordOf } from '../register-records.ts';
import { endWithFile, kundebokHere, ownDatabase } from '../service.ts';

endWithFile();

const settings = { DATABASE_URL: await ownDatabase() };

beforeAll(() =>
  runSql(
    settings.DATABASE_URL,
    `create function fail() returns trigger language plpgsql as
       $$ begin raise exception 'no luck' using errcode = new.name; end $$;
     create trigger fail before insert on workspaces for each row execute function fail();`,
  ),
);

const OWNER = ['--owner-email', 'kari@example.no', '--owner-first-name', 'Kari', '--owner-last-name', 'N'];

/** Runs a command whose statement fails with this SQLSTATE. */
const failWith = (code: string) => kundebokHere(['workspace', 'create', '--name', code, ...OWNER], settings);

test.each([
  ['53100', 'a full disk', 'failed', 'free space on its disk'],
  ['53300', 'too many connections', 'failed', 'end other connections, or raise its max_connections'],
  ['53200', 'too little memory', 'failed', 'see its log'],
  ['58030', 'a broken disk', 'failed', 'see its log'],
  ['57014', 'a time limit', 'failed', 'try again when it is less busy'],
  ['55P03', 'a lock limit', 'failed', 'try again when it is less busy'],
  ['40P01', 'a deadlock', 'failed', 'try again when it is less busy'],
  ['25P03', 'a limit of idle transactions', 'failed', 'raise that limit of the role, or set it to 0'],
  ['25P04', 'a limit of transactions', 'failed', 'raise that limit of the role, or set it to 0'],
  ['25006', 'a server that takes no writes', 'failed', 'use a server that accepts writes'],
  ['57P01', 'a server that stops', 'is unavailable', 'start it and check DATABASE_URL'],
])('SQLSTATE %s, %s: the database %s', async (code, _, what, advice) => {
  const stderr = `The database ${what} (no luck): ${advice}\n`;
  expect(await failWith(code)).toEqual({ code: 1, stdout: '', stderr });
});

test('an import that has replaced the mirror says so when the companies cannot follow', async () => {
  await runSql(
    settings.DATABASE_URL,
    `create function refuse() returns trigger language plpgsql as
       $$ begin raise exception 'no luck' using errcode = '57014'; end $$;
     create trigger refuse before update of companies_refreshed on register_mirror
       for each row when (new.companies_refreshed) execute function refuse()`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-troubles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'units.json');
  await writeFile(file, JSON.stringify([recordOf(generatedUnit(generatedOrgnr(0)))]));
  const { code, stderr } = await kundebokHere(['register', 'import', file, '--accept-loss'], settings);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'The mirror is replaced, but companies do not follow it yet (no luck): the next sync of the service completes this; to do it now, run kundebok register sync\n',
  );
  await using client = await openClient(settings.DATABASE_URL);
  expect((await client.query('select orgnr from register_units')).rows).toEqual([
    { orgnr: generatedOrgnr(0) },
  ]);
});
