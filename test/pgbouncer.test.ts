import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { connectionSettings, Session } from '../src/db/session.ts';
import { runSql } from './database.ts';
import { pgbouncerVersion, startPgbouncer } from './pgbouncer.ts';
import { endWithFile, kundebok, kundebokJson, ownDatabase, startService, type Service } from './service.ts';

endWithFile();

const version = pgbouncerVersion();
const keepsStatements = version !== undefined && version >= 1.21;
const PREPARED = { pool_mode: 'transaction', max_prepared_statements: '100' };

if (version === undefined) console.warn('SKIPPED: no pgbouncer is installed, so none is tested');
else if (!keepsStatements)
  console.warn(`SKIPPED: PgBouncer ${version} has no prepared statements by transaction`);

async function rowsOf(url: string, text: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Creates a task and reads its due date back. */
async function dueDate(service: Service, key: string): Promise<string> {
  const me = await data(fetch(`${service.address}/me`, { headers: bearer(key) }));
  const body = JSON.stringify({ user_id: me['user_id'], title: 'Ring', due_date: '2026-07-15T09:00:00Z' });
  const headers = { ...bearer(key), 'content-type': 'application/json' };
  const made = await data(fetch(`${service.address}/tasks`, { method: 'POST', headers, body }));
  return made['due_date']!;
}

async function data(answer: Promise<Response>): Promise<Record<string, string>> {
  return ((await (await answer).json()) as { data: Record<string, string> }).data;
}

/** A database whose sessions are not in UTC unless they ask for it. */
async function osloDatabase(options?: { empty?: boolean }): Promise<string> {
  const url = await ownDatabase(options);
  await runSql(url, `alter database ${new URL(url).pathname.slice(1)} set timezone to 'Europe/Oslo'`);
  return url;
}

/** Requests whose statements meet on a few server connections, each prepared on all of them. */
async function manyAtOnce(service: Service, key: string): Promise<Set<number>> {
  const paths = ['/companies', '/users', '/me', '/companies/923609016'];
  const asked = Array.from({ length: 200 }, (_, n) =>
    fetch(service.address + paths[n % paths.length]!, { headers: bearer(key) }),
  );
  return new Set((await Promise.all(asked)).map(({ status }) => status));
}

describe.skipIf(version === undefined)('PgBouncer by session', () => {
  test('carries a service like PostgreSQL itself, as it comes', async () => {
    const url = await startPgbouncer(await osloDatabase({ empty: true }), { pool_mode: 'session' });
    const service = await startService({ DATABASE_URL: url, RATE_LIMIT: 'off' });
    const key = service.key!;
    expect(await dueDate(service, key)).toBe('2026-07-15T09:00:00.000Z');
    expect(await manyAtOnce(service, key)).toEqual(new Set([200, 404]));
    expect(await kundebokJson(['doctor'], { DATABASE_URL: url })).toContainEqual({
      check: 'pooler',
      ok: true,
      found: 'lends connections by session',
    });
    expect(service.logged()).not.toContain('pooler');
    await service.stop();
  });

  test('passes time limits and notices on', async () => {
    const database = await ownDatabase();
    const url = await startPgbouncer(database, { pool_mode: 'session' });
    const session = new Session(connectionSettings(url));
    await session.connect();
    const { rows } = await session.query(
      "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock",
    );
    await session.end();
    expect(rows).toEqual([{ statement: '8s', lock: '5s' }]);

    const service = await startService({ DATABASE_URL: url });
    const status = () =>
      fetch(`${service.address}/me`, { headers: bearer(service.key!) }).then((answer) => answer.status);
    expect(await status()).toBe(200);
    await runSql(database, 'update api_keys set revoked_at = now()');
    await expect.poll(status, { timeout: 1_000, interval: 5 }).toBe(401);
    await service.stop();
  });
});

describe.skipIf(!keepsStatements)('PgBouncer by transaction', () => {
  test('carries a service, which says what it does without', async () => {
    const database = await osloDatabase({ empty: true });
    const url = await startPgbouncer(database, { ...PREPARED, default_pool_size: '4' });
    const both = await Promise.all([1, 2].map(() => startService({ DATABASE_URL: url, RATE_LIMIT: 'off' })));
    const key = both.map((service) => service.key).find((shown) => shown !== undefined)!;
    for (const service of both) {
      expect(await dueDate(service, key)).toBe('2026-07-15T09:00:00.000Z');
      expect(await manyAtOnce(service, key)).toEqual(new Set([200, 404]));
      await expect.poll(() => service.logged()).toContain('each request looks its key up');
      expect(service.logged()).toContain('set them on the role');
    }
    await runSql(database, 'update api_keys set revoked_at = now()');
    for (const service of both) {
      expect((await fetch(`${service.address}/me`, { headers: bearer(key) })).status).toBe(401);
    }
    expect(
      await rowsOf(
        database,
        "select count(*)::int as held from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
      ),
    ).toEqual([{ held: 0 }]);
    await Promise.all(both.map((service) => service.stop()));
  });

  test('that loses prepared statements is refused by service, commands and doctor, in words', async () => {
    const url = await startPgbouncer(await ownDatabase(), {
      pool_mode: 'transaction',
      max_prepared_statements: '0',
    });
    await refuses(url, /loses prepared statements: use PgBouncer 1\.21 or later/);
  });
});

describe.skipIf(version === undefined)('a PgBouncer that cannot carry the service', () => {
  test('by statement is refused by service, commands and doctor, in words', async () => {
    const url = await startPgbouncer(await ownDatabase(), { pool_mode: 'statement' });
    await refuses(url, /lends connections by statement/);
  });

  test.skipIf(keepsStatements)('of a release before 1.21, by transaction, is refused too', async () => {
    const url = await startPgbouncer(await ownDatabase(), { pool_mode: 'transaction' });
    await refuses(url, /loses prepared statements: use PgBouncer 1\.21 or later/);
  });
});

async function refuses(url: string, words: RegExp): Promise<void> {
  const settings = { DATABASE_URL: url, PORT: '0' };
  for (const args of [['serve'], ['workspace', 'list']]) {
    const { code, stdout, stderr } = await kundebok(args, settings);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/^ +at /m);
  }
  const { stdout } = await kundebok(['doctor', '--json'], settings);
  const found = JSON.parse(stdout).find(({ check }: { check: string }) => check === 'pooler');
  expect(found).toMatchObject({ ok: false, found: expect.stringMatching(words) });
}
