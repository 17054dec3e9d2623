import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/db/migrations.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { kundebokHere } from '../service.ts';
import { createWorkspace } from '../workspace.ts';
import { createWorld } from '../world.ts';

const world = await createWorld();
const postgres = await startOwnPostgres();
const service = await world.start({ url: postgres.url, databaseConnections: 4, keepLogs: true });
const admin = new Pool({ connectionString: postgres.url, max: 2 }).on('error', () => {});
afterAll(() => admin.end());
const workspace = await createWorkspace(
  async (text, values) => (await admin.query(text, values)).rows,
  service,
);
const fresh = (await workspace.key()).client;

const password = decodeURIComponent(new URL(postgres.url).password);
const accessFile = join(postgres.data, 'pg_hba.conf');
const access = await readFile(accessFile, 'utf8');

async function allow(lines: string): Promise<void> {
  await writeFile(accessFile, lines);
  await postgres.command('select pg_reload_conf()');
}

/** Reading, writing, and a key that this process has not looked up yet. */
const ask = () =>
  Promise.all([
    workspace.client.get('/companies'),
    workspace.client.post('/contacts', { name: 'Kari' }),
    fresh.get('/me'),
  ]);

const ready = async () => (await fetch(`${service.origin}/readyz`)).status;

describe.each<[string, () => Promise<void>, () => Promise<void>]>([
  [
    'the password was changed',
    () => postgres.command("alter role kundebok password 'another'"),
    () => postgres.command(`alter role kundebok password '${password}'`),
  ],
  [
    'the role was renamed',
    () => postgres.command('alter role kundebok rename to kundebok_before'),
    async () => {
      await postgres.command('alter role kundebok_before rename to kundebok');
      await postgres.command(`alter role kundebok password '${password}'`);
    },
  ],
  [
    'the role may not log in',
    () => postgres.command('alter role kundebok nologin'),
    () => postgres.command('alter role kundebok login'),
  ],
  [
    'the role has too many connections',
    () => postgres.command('alter role kundebok connection limit 0'),
    () => postgres.command('alter role kundebok connection limit -1'),
  ],
  [
    'the database accepts no connections',
    () => postgres.command('alter database kundebok allow_connections false'),
    () => postgres.command('alter database kundebok allow_connections true'),
  ],
  [
    'the role may not connect to the database',
    () =>
      postgres.command(
        'alter database kundebok owner to postgres; revoke connect on database kundebok from public',
      ),
    () => postgres.command('alter database kundebok owner to kundebok'),
  ],
  [
    'the database was renamed',
    async () => {
      // A database that somebody is connected to cannot be renamed, and the service connects again at once.
      await postgres.command('alter database kundebok allow_connections false');
      await endSessions();
      await postgres.command('alter database kundebok rename to kundebok_before');
      await postgres.command('alter database kundebok_before allow_connections true');
    },
    () => postgres.command('alter database kundebok_before rename to kundebok'),
  ],
  [
    'pg_hba.conf lets only others in',
    () => allow('host all postgres 127.0.0.1/32 scram-sha-256\n'),
    () => allow(access),
  ],
])('while %s', (_, refuse, admit) => {
  test('requests are 503 with Retry-After, the log is quiet, and nothing needs a restart', async () => {
    await ask();
    await endSessions();
    await refuse();
    await endSessions();
    await expect.poll(ready, { interval: 10 }).toBe(503);
    const logged = service.logs.length;
    const began = performance.now();
    for (const answer of (await Promise.all(Array.from({ length: 10 }, ask))).flat()) {
      expect([answer.status, answer.body.code]).toEqual([503, 'temporarily_unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    const warnings = service.logs.slice(logged).filter(({ level }) => Number(level) > 30);
    expect(warnings.filter(({ level }) => level === 50)).toEqual([]);
    // Of each kind at most one line a second, and one more that was still to come from before.
    const kinds = Map.groupBy(warnings, ({ msg, err }) => JSON.stringify([msg, err]));
    for (const lines of kinds.values()) expect(lines.length).toBeLessThanOrEqual(seconds + 1);
    await admit();
    await expect.poll(ready, { interval: 10 }).toBe(200);
    expect((await ask()).map(({ status }) => status)).toEqual([200, 201, 200]);
  });
});

/** Sessions that are open are not refused: they have to end first. */
async function endSessions(): Promise<void> {
  await postgres.command(
    "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
}

test('many idle connections that break at once are one line in the log', async () => {
  const busy = await world.start({ url: postgres.url, databaseConnections: 20, keepLogs: true });
  const client = busy.client(workspace.client.token);
  await Promise.all(Array.from({ length: 200 }, () => client.get('/companies')));
  await endSessions();
  const broke = () => busy.logs.filter(({ msg }) => String(msg).includes('idle database connection'));
  // No request before that: it would take connections that are broken and not noticed yet.
  await expect.poll(() => broke().length).toBe(1);
  await expect.poll(async () => (await client.get('/companies')).status, { interval: 10 }).toBe(200);
  expect(broke()).toHaveLength(1);
});

test('a role that may not create tables is told what to change', async () => {
  await postgres.command(`create role "kari-crm" login password '${password}'`);
  await postgres.command('create database "kari-crm"');
  const own = Object.assign(new URL(postgres.url), { username: 'kari-crm', pathname: '/kari-crm' }).href;
  const change = 'alter database "kari-crm" owner to "kari-crm"';
  const advice = `the role "kari-crm" may not create tables in the schema public: ${change}`;
  const { code, stderr } = await kundebokHere(['migrate'], { DATABASE_URL: own });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`this release knows ${SCHEMA_VERSION}: ${advice}\n`),
  ]);
  expect(stderr).not.toContain('    at ');
  const { stdout } = await kundebokHere(['doctor', '--json'], { DATABASE_URL: own });
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ check: 'schema', ok: false, advice: expect.stringContaining(advice) }),
  );
  await postgres.command(change);
  expect(await kundebokHere(['migrate'], { DATABASE_URL: own })).toMatchObject({ code: 0 });
});
