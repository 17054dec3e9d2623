import { mkdir, mkdtemp, rm, writeFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Client } from 'pg';
import { runSql } from '../database.ts';
import { endWithFile, kundebok, kundebokHere, kundebokJson, ownDatabase } from '../service.ts';

endWithFile();

const AWAY = { DATABASE_URL: 'postgres://kundebok:secret@127.0.0.1:1/kundebok' };

type Finding = { check: string; ok: boolean; found: string; advice?: string };

/** What doctor finds ill; it must end with 1 then, and with 0 otherwise. */
async function illnesses(settings: Record<string, string>, run = kundebokHere): Promise<Finding[]> {
  const { code, stdout } = await run(['doctor', '--json'], settings);
  const ill = (JSON.parse(stdout) as Finding[]).filter(({ ok }) => !ok);
  expect(code).toBe(ill.length > 0 ? 1 : 0);
  return ill;
}

describe.concurrent('settings', () => {
  test('that are wrong are all reported at once, without any password', async () => {
    const { code, stdout, stderr } = await kundebok(['serve'], {
      PORT: '99999',
      PUBLIC_URL: 'crm.example.no',
      DATABASE_URL: 'mysql://kari:secret@host/db',
      DATABASE_CONNECTIONS: '0',
      REGISTER: 'mine',
      REGISTER_URL: 'ftp://register',
      RATE_LIMIT: '10',
      TRUST_PROXY: '1',
      OIDC_ISSUER: 'https://login.example.no',
      LOG_LEVEL: 'loud',
    });
    expect([code, stdout]).toEqual([2, '']);
    const names = [...stderr.matchAll(/^ {2}([A-Z_]+) (?:must be|is needed)/gm)].map(([, name]) => name);
    expect(names).toEqual([
      'PORT',
      'PUBLIC_URL',
      'DATABASE_URL',
      'DATABASE_CONNECTIONS',
      'REGISTER',
      'REGISTER_URL',
      'RATE_LIMIT',
      'TRUST_PROXY',
      'LOG_LEVEL',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
    ]);
    expect(stderr).not.toContain('secret');
  });

  test.for(['sslrootcert', 'sslcert', 'sslkey'])(
    'must name a readable file as %s',
    async (name, { expect }) => {
      const settings = { DATABASE_URL: `${AWAY.DATABASE_URL}?${name}=/nowhere/secret.pem` };
      const fault = `DATABASE_URL names a file in ${name} that cannot be read (ENOENT)`;
      const { code, stderr } = await kundebokHere(['workspace', 'list'], settings);
      expect([code, stderr]).toEqual([2, `Invalid settings:\n  ${fault}\n`]);
      expect(await illnesses(settings)).toMatchObject([{ check: 'settings', found: fault }]);
    },
  );

  test('that are empty count as not set', async () => {
    const { stderr } = await kundebokHere(['workspace', 'list'], { ...AWAY, PORT: '', LOG_LEVEL: '' });
    expect(stderr).toContain('The database is unavailable');
  });

  test('that are wrong end a command as they end the service', async () => {
    expect(await kundebok(['key', 'list', '--json'], { LOG_LEVEL: 'loud' })).toMatchObject({ code: 2 });
  });
});

describe.concurrent('doctor', () => {
  test('finds nothing ill where nothing is', async () => {
    expect(await illnesses({ DATABASE_URL: await ownDatabase() }, kundebok)).toEqual([]);
  });

  test('finds settings that are wrong', async () => {
    expect(await illnesses({ PORT: 'x' })).toMatchObject([{ check: 'settings' }]);
  });

  test('finds that a database is unavailable', async () => {
    expect(await illnesses(AWAY)).toMatchObject([{ check: 'database', advice: expect.any(String) }]);
  });

  test('finds a schema that is behind, and one that is ahead', async () => {
    const [behind, ahead] = await Promise.all([ownDatabase({ empty: true }), ownDatabase()]);
    await runSql(ahead, "insert into schema_migrations (version, name) values (9999, '9999_future.sql')");
    const found = await Promise.all([behind, ahead].map((url) => illnesses({ DATABASE_URL: url })));
    expect(found).toMatchObject([
      [{ check: 'schema', advice: 'run kundebok migrate, or wait for a service that is starting' }],
      [{ check: 'schema', advice: expect.stringContaining('start the newer release') }],
    ]);
  });

  test('finds too few connections, no trusted proxy and no folder for backups, each with what to set', async () => {
    const settings = { DATABASE_URL: await ownDatabase(), PUBLIC_URL: 'https://crm.example.no' };
    const found = await illnesses({ ...settings, DATABASE_CONNECTIONS: '1000', BACKUP_FOLDER: '/nowhere' });
    expect(found).toMatchObject([
      { check: 'connections', advice: expect.stringContaining('alter system set max_connections = 1021;') },
      { check: 'backup', advice: expect.stringContaining('BACKUP_FOLDER') },
      { check: 'proxy', advice: expect.stringContaining('TRUST_PROXY=127.0.0.1') },
    ]);
    const unreachable = { PUBLIC_URL: 'https://127.0.0.1:2', TRUST_PROXY: '127.0.0.1' };
    expect(await illnesses({ ...settings, ...unreachable })).toEqual([]);
  });

  test('finds a folder that cannot hold the data', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kundebok-doctor-'));
    await writeFile(join(folder, 'file'), '');
    const found = await illnesses({ DATA_DIR: join(folder, 'file', 'data') });
    await rm(folder, { recursive: true });
    expect(found).toMatchObject([
      { check: 'disk', advice: 'set DATA_DIR to a folder that this user may write to' },
    ]);
  });

  test('finds a link whose folder is not there, as does a start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kundebok-doctor-'));
    const DATA_DIR = join(folder, 'data');
    await symlink('/nowhere/disk', DATA_DIR);
    const reason = `${DATA_DIR} is a link to /nowhere/disk, which does not exist: create that folder, or mount the disk`;
    const found = await illnesses({ DATA_DIR });
    const started = await kundebokHere(['serve'], { DATA_DIR, PORT: '0' });
    await rm(folder, { recursive: true });
    expect(found).toMatchObject([
      { check: 'database', found: expect.stringContaining(reason) },
      { check: 'disk', found: expect.stringContaining(reason) },
    ]);
    expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
  });

  test('says who has to run it where the data are of another user', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kundebok-doctor-'));
    // Nobody can read a folder as a file, not even root.
    await mkdir(join(folder, 'postgres', 'service.lock'), { recursive: true });
    const found = await illnesses({ DATA_DIR: folder });
    await rm(folder, { recursive: true });
    const advice = `${folder} cannot be read: run this as the user who runs the service, or as root`;
    expect(found).toMatchObject([{ check: 'database', found: advice }]);
  });

  test('warns of a folder without data, as where DATA_DIR is not that of the service', async () => {
    const data = join(tmpdir(), `kundebok-doctor-${process.pid}`, 'data');
    const findings = (await kundebokJson(['doctor'], { DATA_DIR: data }, kundebokHere)) as Finding[];
    expect(findings.find(({ check }) => check === 'database')).toMatchObject({
      ok: true,
      warning: expect.stringContaining(`no data in ${data}`),
    });
    const { stdout } = await kundebokHere(['doctor'], { DATA_DIR: data, BACKUP_FOLDER: '/nowhere' });
    expect(stdout).toMatch(/^warn +database +embedded, with no data/m);
    expect(stdout).toMatch(/^FAIL +backup +\/nowhere cannot be used\n +→ create the folder/m);
  });

  test('looks at the disk where the data are, also when they are not in DATA_DIR', async ({
    onTestFinished,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'kundebok-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [settings, elsewhere] = [{ DATA_DIR: join(folder, 'data') }, join(folder, 'elsewhere')];
    await mkdir(join(settings.DATA_DIR, 'postgres'), { recursive: true });
    await writeFile(join(settings.DATA_DIR, 'postgres', 'location'), elsewhere);
    expect(await illnesses(settings)).toMatchObject([
      {
        check: 'database',
        found: expect.stringContaining(`the data are in ${elsewhere}, which does not exist`),
      },
      { check: 'disk', found: expect.stringContaining(`the data are in ${elsewhere}, which does not exist`) },
    ]);
    await mkdir(elsewhere);
    const findings = (await kundebokJson(['doctor'], settings, kundebokHere)) as Finding[];
    const disk = findings.find(({ check }) => check === 'disk');
    expect(disk).toMatchObject({ ok: true, found: expect.stringContaining(`GiB free for ${elsewhere}`) });
  });

  test('says what it checked and what to do', async () => {
    const { code, stdout, stderr } = await kundebok(['doctor'], AWAY);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok +settings/m);
    expect(stdout).toMatch(/^FAIL +database .*\n +→ start it and check DATABASE_URL$/m);
    expect(stderr).toMatch(/^1 of \d checks failed\n$/);
  });
});

describe.concurrent('the schema', () => {
  test('is made by migrate, which does nothing the second time', async () => {
    const settings = { DATABASE_URL: await ownDatabase({ empty: true }) };
    const refused = await kundebokHere(['workspace', 'list'], settings);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('run kundebok migrate');
    const { applied } = await kundebokJson(['migrate'], settings);
    expect(applied[0]).toBe('0001_workspaces_and_crm.sql');
    expect(await kundebokJson(['migrate'], settings, kundebokHere)).toEqual({ applied: [] });
    expect((await kundebokHere(['migrate'], settings)).stdout).toBe('applied  nothing to do\n');
    expect(await kundebokJson(['workspace', 'list'], settings, kundebokHere)).toEqual([]);
  });

  test('of a newer release is refused by the service, by migrate and by commands, and left alone', async () => {
    const url = await ownDatabase();
    await runSql(url, "insert into schema_migrations (version, name) values (9999, '9999_future.sql')");
    const settings = { DATABASE_URL: url, PORT: '0' };
    const ends = await Promise.all([
      kundebok(['serve'], settings),
      kundebokHere(['migrate'], settings),
      kundebokHere(['workspace', 'list'], settings),
    ]);
    for (const { code, stdout, stderr } of ends) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/schema version 9999, this release knows \d+: start the newer release/);
      expect(stderr).not.toMatch(/^ +at /m);
    }
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select count(*)::int as workspaces from workspaces');
    await client.end();
    expect(rows).toEqual([{ workspaces: 0 }]);
  });
});

test('a PostgreSQL that is too old is found by doctor, and refused by the service, migrate and restore', async () => {
  const url = await ownDatabase({ empty: true });
  const backup = join(await mkdtemp(join(tmpdir(), 'kundebok-')), 'backup');
  await kundebokJson(['backup', backup], { DATABASE_URL: await ownDatabase() }, kundebokHere);
  await claimVersion(url, '14.11', 140_011);
  const found = { check: 'database', found: 'PostgreSQL 14.11, of DATABASE_URL' };
  expect(await illnesses({ DATABASE_URL: url })).toMatchObject([found, { check: 'schema' }]);
  const settings = { DATABASE_URL: url, PORT: '0' };
  const stderr = 'The database server is PostgreSQL 14.11: use PostgreSQL 15 or later\n';
  for (const command of ['serve', 'migrate']) {
    expect(await kundebok([command], settings)).toEqual({ code: 1, stdout: '', stderr });
  }
  const restored = await kundebok(['restore', backup], settings);
  // The progress of restore comes first.
  expect(restored).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(`\n${stderr}`) });
});

/** Functions of the database itself stand in for an old server: they hide PostgreSQL's own. */
async function claimVersion(url: string, version: string, number: number): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await runSql(
    url,
    `create function public.current_setting(name text) returns text language sql as $$
       select case name when 'server_version' then '${version}' when 'server_version_num' then '${number}'
         else pg_catalog.current_setting(name) end $$;
     alter database ${name} set search_path = public, pg_catalog`,
  );
}

test('an unavailable database, a missing one and a wrong password are reported without a stack', async () => {
  const url = new URL(await ownDatabase());
  const [missing, stranger] = [new URL(url), new URL(url)];
  missing.pathname = '/kundebok_no_such_database';
  stranger.username = 'kundebok_no_such_role';
  for (const [address, run] of [
    [AWAY.DATABASE_URL, kundebokHere],
    [missing.href, kundebokHere],
    [stranger.href, kundebok],
  ] as const) {
    const { code, stdout, stderr } = await run(['workspace', 'list'], { DATABASE_URL: address });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/DATABASE_URL/);
    expect(stderr).not.toMatch(/^ +at /m);
  }
});
