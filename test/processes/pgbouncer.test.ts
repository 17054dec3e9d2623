import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { makeDueBackup } from '../../src/backup/schedule.ts';
import { companiesFollow } from '../../src/companies/follow-register.ts';
import { connect } from '../../src/db/connect.ts';
import { provePreparing } from '../../src/db/pooler.ts';
import { connectionSettings, Session } from '../../src/db/session.ts';
import { syncAlone } from '../../src/register/mirror/follow.ts';
import { nationalRegister } from '../../src/register/national/client.ts';
import { runSql } from '../database.ts';
import { endPgbouncersWithFile, pgbouncerVersion, startPgbouncer } from './pgbouncer.ts';
import {
  endWithFile,
  kundebok,
  kundebokHere,
  kundebokJson,
  ownDatabase,
  startService,
  type Service,
} from '../service.ts';
import { answerWithinSecond } from '../until.ts';

endWithFile();
endPgbouncersWithFile();

const version = pgbouncerVersion();
const keepsStatements = version !== undefined && version >= 1.21;
const PREPARED = { pool_mode: 'transaction', max_prepared_statements: '100' };

if (version === undefined) process.stderr.write('SKIPPED: no pgbouncer is installed; none is tested\n');
else if (!keepsStatements)
  process.stderr.write(`SKIPPED: PgBouncer ${version} cannot carry the service by transaction; 1.21 can\n`);

async function locksHeld(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ held: number }>(
      `select count(*)::int as held from pg_locks join pg_database on pg_database.oid = pg_locks.database
       where locktype = 'advisory' and datname = current_database()`,
    );
    return rows[0]!.held;
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

describe.skipIf(version === undefined)('PgBouncer by session', { concurrent: true }, () => {
  test('works like PostgreSQL itself, with its default settings', async () => {
    const url = await startPgbouncer(await osloDatabase({ empty: true }), { pool_mode: 'session' });
    const service = await startService({ DATABASE_URL: url, RATE_LIMIT: 'off' });
    const key = service.key!;
    expect(await dueDate(service, key)).toBe('2026-07-15T09:00:00.000Z');
    expect(await manyAtOnce(service, key)).toEqual(new Set([200, 404]));
    expect(await kundebokJson(['doctor'], { DATABASE_URL: url }, kundebokHere)).toContainEqual({
      check: 'pooler',
      ok: true,
      found: 'session mode',
    });
    expect(service.logged()).not.toContain('pooler');
    await service.stop();
  });

  test('with fewer connections than a service may hold is reported by doctor', async ({ expect }) => {
    const url = await startPgbouncer(await ownDatabase(), { pool_mode: 'session', default_pool_size: '5' });
    const { stdout } = await kundebok(['doctor', '--json'], { DATABASE_URL: url });
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'pooler',
      ok: false,
      found: 'session mode, with 5 connections to PostgreSQL where 12 are needed',
      advice: expect.stringContaining('default_pool_size = 12'),
    });
  });

  test('of the size that doctor names has room for a backup beside a busy service', async ({
    expect,
    onTestFinished,
  }) => {
    const database = await ownDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'kundebok-pgbouncer-backup-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const small = await startPgbouncer(database, { pool_mode: 'session', default_pool_size: '5' });
    const settings = { DATABASE_URL: small, BACKUP_FOLDER: folder };
    const { stdout } = await kundebokHere(['doctor', '--json'], settings);
    const [, size] = /default_pool_size = (\d+)/.exec(stdout)!;

    const url = await startPgbouncer(database, { pool_mode: 'session', default_pool_size: size! });
    // Requests, the listener, and housekeeping.
    const busy = Array.from({ length: 12 }, () => new Session(connectionSettings(url)));
    onTestFinished(async () => void (await Promise.all(busy.map((session) => session.end()))));
    await Promise.all(busy.map((session) => session.connect()));
    const backups = { folder, everyMs: 86_400_000, keep: 14, withRegister: false };
    const log = pino({ level: 'silent' });
    const schedule = { ...backups, databaseUrl: url, log };
    expect(await makeDueBackup(schedule, new AbortController().signal)).toBe(true);
  });

  test('passes time limits and notices on', async ({ expect }) => {
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
      fetch(`${service.address}/companies`, { headers: bearer(service.key!) }).then(({ status }) => status);
    expect(await status()).toBe(200);
    await runSql(database, 'update api_keys set revoked_at = now()');
    expect(await answerWithinSecond(status, 401)).toBe(401);
    await service.stop();
  });
});

describe.skipIf(!keepsStatements)('PgBouncer by transaction', { concurrent: true }, () => {
  test('works for a service, which says what it does without', async ({ expect }) => {
    const database = await osloDatabase({ empty: true });
    const url = await startPgbouncer(database, { ...PREPARED, default_pool_size: '4' });
    const both = await Promise.all([1, 2].map(() => startService({ DATABASE_URL: url, RATE_LIMIT: 'off' })));
    const key = both.map((service) => service.key).find((shown) => shown !== undefined)!;
    for (const service of both) {
      const dates = await Promise.all(Array.from({ length: 40 }, () => dueDate(service, key)));
      expect(new Set(dates)).toEqual(new Set(['2026-07-15T09:00:00.000Z']));
      expect(await manyAtOnce(service, key)).toEqual(new Set([200, 404]));
      await expect.poll(() => service.logged()).toContain('each request looks up its key');
      expect(service.logged()).toContain('set them on the role');
    }
    await runSql(database, 'update api_keys set revoked_at = now()');
    for (const service of both) {
      expect((await fetch(`${service.address}/me`, { headers: bearer(key) })).status).toBe(401);
    }
    expect(await locksHeld(database)).toBe(0);
    await Promise.all(both.map((service) => service.stop()));
  });

  test('has nothing to complain of once the database sets time limits', async () => {
    const database = await ownDatabase();
    const name = new URL(database).pathname.slice(1);
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
      await runSql(database, `alter database ${name} set ${limit} = '8s'`);
    }
    const url = await startPgbouncer(database, PREPARED);
    expect(await kundebokJson(['doctor'], { DATABASE_URL: url }, kundebokHere)).toContainEqual({
      check: 'pooler',
      ok: true,
      found: 'transaction mode',
    });
  });

  test('must have room for what backups and a sync with the register hold', async ({ expect }) => {
    const url = await startPgbouncer(await ownDatabase(), { ...PREPARED, default_pool_size: '3' });
    const register = { REGISTER: 'national', REGISTER_URL: 'http://127.0.0.1:9' };
    const settings = { DATABASE_URL: url, BACKUP_FOLDER: tmpdir(), ...register };
    const { stdout } = await kundebokHere(['doctor', '--json'], settings);
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'pooler',
      ok: false,
      found: 'transaction mode, with 3 connections to PostgreSQL where 6 are needed',
      advice: expect.stringContaining('default_pool_size = 6'),
    });
  });

  test('keeps no lock after a sync with the register', async ({ expect }) => {
    const database = await ownDatabase();
    const url = await startPgbouncer(database, PREPARED);
    const db = connect({ url, connections: 2, onIdleError: () => {} });
    // Without a mirror, a sync asks the source for nothing.
    const source = { baseUrl: 'http://127.0.0.1:9', userAgent: 'test' };
    const live = nationalRegister({ ...source, timeoutMs: 1_000 });
    const sync = () => syncAlone(url, { db, live, source, followers: companiesFollow });
    expect([await sync(), await sync()]).toEqual([undefined, undefined]);
    await db.close();
    expect(await locksHeld(database)).toBe(0);
  });

  test('that loses prepared statements is refused by service, commands and doctor, in words', async () => {
    const url = await startPgbouncer(await ownDatabase(), {
      pool_mode: 'transaction',
      max_prepared_statements: '0',
    });
    expect(await complaints(url)).toEqual(
      refusal(/The pooler .+ loses prepared statements: use PgBouncer 1\.21 or later .+/),
    );
  });
});

describe.skipIf(version === undefined)(
  'a PgBouncer that the service cannot use',
  { concurrent: true },
  () => {
    test('by statement is refused by service, commands and doctor, in words', async () => {
      const url = await startPgbouncer(await ownDatabase(), { pool_mode: 'statement' });
      expect(await complaints(url)).toEqual(refusal(/The pooler .+ is in statement mode: .+/));
    });

    test.skipIf(keepsStatements)('is found out although another client comes between', async () => {
      const url = await startPgbouncer(await ownDatabase(), { pool_mode: 'transaction' });
      const sessions = [1, 2, 3].map(() => new Session(connectionSettings(url)));
      const [first, second, other] = sessions as [Session, Session, Session];
      await Promise.all(sessions.map((session) => session.connect()));
      // `second` takes the server connection that was used last: that of `other`.
      const run = first.query.bind(first) as (query: unknown) => Promise<unknown>;
      let isFirst = true;
      const query = async (asked: unknown) => {
        if (!isFirst) return run(asked);
        isFirst = false;
        await other.query('begin');
        const answer = await run(asked);
        await other.query('commit');
        return answer;
      };
      Object.assign(first, { query });
      await expect(provePreparing(first, second)).rejects.toMatchObject({ code: '26000' });
      await Promise.all(sessions.map((session) => session.end()));
    });

    test.skipIf(keepsStatements)('of a release before 1.21, by transaction, is refused too', async () => {
      const url = await startPgbouncer(await ownDatabase(), { pool_mode: 'transaction' });
      expect(await complaints(url)).toEqual(
        refusal(/The pooler .+ loses prepared statements: use PgBouncer 1\.21 or later .+/),
      );
    });
  },
);

function refusal(words: RegExp) {
  return ['', '1 ', '1 '].map((code) => expect.stringMatching(new RegExp(`^${code}${words.source}$`)));
}

/** What service, a command and doctor say as they refuse to work: one line each. */
async function complaints(url: string): Promise<string[]> {
  const settings = { DATABASE_URL: url, PORT: '0' };
  const [doctor, ...others] = await Promise.all([
    kundebokHere(['doctor', '--json'], settings),
    kundebok(['serve'], settings),
    kundebokHere(['workspace', 'list'], settings),
  ]);
  const found = (JSON.parse(doctor.stdout) as { check: string; ok: boolean; found: string }[]).find(
    ({ check, ok }) => check === 'pooler' && !ok,
  );
  return [String(found?.found), ...others.map(({ code, stderr }) => `${code} ${stderr.trim()}`)];
}
