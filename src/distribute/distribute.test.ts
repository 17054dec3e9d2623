import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createCitusDatabase, dropCitusDatabase, citusUrl } from '../../test/citus-cluster.ts';
import { openClient, runSql } from '../../test/database.ts';
import { readAllRows } from '../../test/rows.ts';
import { endWithFile, kundebok, kundebokJson, ownDatabase, startService } from '../../test/service.ts';
import { answerWithinSecond } from '../../test/until.ts';
import { migrate, migrateWithin } from '../db/migrate.ts';
import { readMigrations } from '../db/migrations.ts';
import { connectionSettings, Session } from '../db/session.ts';
import { distribute } from './distribute.ts';

endWithFile();

describe('distribute refuses, and says what to do', () => {
  test('the embedded PostgreSQL', async () => {
    const { code, stderr } = await kundebok(['distribute'], { DATA_DIR: '/nowhere' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('embedded PostgreSQL has no Citus')]);
  });

  test('a database without Citus', async () => {
    const { code, stderr } = await kundebok(['distribute'], { DATABASE_URL: await ownDatabase() });
    expect([code, stderr]).toEqual([1, expect.stringContaining('run create extension citus')]);
  });

  test('an older schema', async () => {
    const { code, stderr } = await kundebok(['distribute'], {
      DATABASE_URL: await ownDatabase({ empty: true }),
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('run kundebok migrate')]);
  });
});

const RELEASED = readMigrations(`${import.meta.dirname}/../../migrations`);

/** Tables that no restore fills. */
const UNRESTORED = ['schema_migrations', 'sessions', 'sign_in_attempts', 'sign_in_steps', 'backup_state'];

const { isCitus } = inject('postgres');
if (!isCitus) {
  process.stderr.write(
    'SKIPPED: TEST_DATABASE_URL names no database of Citus (node test/citus-cluster.ts start)\n',
  );
}

describe.skipIf(!isCitus)('on Citus', () => {
  const name = `kundebok_${process.pid}_${randomBytes(4).toString('hex')}`;
  const restored = `${name}_restored`;
  const older = `${name}_older`;
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'kundebok-distribute-'))));
  afterAll(async () => {
    for (const each of [name, restored, older]) await dropCitusDatabase(each);
    rmSync(folder, { recursive: true });
  });

  test('a filled database is distributed whole, however often the run is stopped', async () => {
    const url = await createCitusDatabase(name);
    await migrate(url);
    const service = await startService({ DATABASE_URL: url, PORT: '0' });
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
    const contact = await fetch(`${service.address}/contacts`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ id: '01a20018-dafa-7ef9-9428-a760839054ed', name: 'Kari Nordmann' }),
    });
    expect(contact.status).toBe(201);
    await service.stop();
    const before = await describeDatabase(url);

    // A run may be stopped at any step: here at three of them.
    const steps = await stepsOf(url);
    for (const step of [steps[0]!, steps[5]!, steps.at(-1)!]) {
      await expect(distribute(url, stopAt(step))).rejects.toThrow();
      expect(await describeDatabase(url)).toEqual(before);
      expect(await countShards(url)).toBe(0);
    }

    const done = await distribute(url);
    expect(done).toMatchObject({ nodes: 2, reference: ['workspaces', 'users', 'memberships', 'api_keys'] });
    expect(await describeDatabase(url)).toEqual(before);
    expect(await distribute(url)).toEqual({ nodes: 2, distributed: [], reference: [] });

    const again = await startService({ DATABASE_URL: url, PORT: '0' });
    const read = await fetch(`${again.address}/contacts/01a20018-dafa-7ef9-9428-a760839054ed`, { headers });
    expect(((await read.json()) as { data: object }).data).toMatchObject({ name: 'Kari Nordmann' });

    await using client = await openClient(url);
    const { rows } = await client.query('select id from api_keys');
    expect((await kundebok(['key', 'revoke', rows[0].id], { DATABASE_URL: url })).code).toBe(0);
    const status = async () => (await fetch(`${again.address}/contacts`, { headers })).status;
    expect(await answerWithinSecond(status, 401)).toBe(401);
    await again.stop();
  });

  test('a backup of a distributed database is restored before the tables are distributed, not after', async () => {
    const url = citusUrl(name);
    const file = join(folder, 'kundebok.backup');
    await kundebokJson(['backup', file], { DATABASE_URL: url });
    const refused = await kundebok(['restore', file], { DATABASE_URL: url });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        'restore into an empty database without distributed tables, then run kundebok distribute',
      ),
    ]);
    const other = { DATABASE_URL: await createCitusDatabase(restored) };
    await kundebokJson(['restore', file], other);
    expect(await kundebokJson(['distribute'], other)).toMatchObject({ nodes: 2 });
    expect(await readAllRows(other.DATABASE_URL, UNRESTORED)).toEqual(await readAllRows(url, UNRESTORED));
    const { counts } = await describeDatabase(other.DATABASE_URL);
    expect(counts).toMatchObject({ contacts: 1, api_keys: 1 });
  });

  test('an older database is distributed, and the following migrations run on it', async () => {
    const url = await createCitusDatabase(older);
    const client = new Session(connectionSettings(url));
    await client.connect();
    await client.query('begin');
    await migrateWithin(client, 17);
    await client.query('commit');
    await client.end();
    await distribute(url);
    const following = RELEASED.filter(({ version }) => version > 17).map((migration) => migration.name);
    expect(await migrate(url)).toEqual(following);
    expect((await describeDatabase(url)).constraints).toEqual(
      (await describeDatabase(citusUrl(name))).constraints,
    );
    expect(await distribute(url)).toEqual({ nodes: 2, distributed: [], reference: [] });
  });

  test('a migration changes shards, and the tables it adds are distributed', async () => {
    const url = citusUrl(name);
    const text = `
      create table projects (
        tenant_id uuid not null references workspaces (id),
        id uuid not null,
        company_id uuid not null,
        primary key (tenant_id, id)
      );
      -- shard projects
      alter table projects add constraint projects_company
        foreign key (tenant_id, company_id) references companies (tenant_id, id);
      create table project_words (
        tenant_id uuid not null,
        word text not null,
        user_id uuid not null,
        primary key (tenant_id, word),
        foreign key (tenant_id, user_id) references memberships (tenant_id, user_id)
      );
      alter table offers add column reference text;
      create index offers_by_reference on offers (tenant_id, reference);
      update offers set reference = id::text where reference is null;`.replace(/^ {6}/gm, '');
    const next = { version: 9999, name: '9999_projects.sql', text, checksum: 'next' };
    expect(await migrate(url, [...RELEASED, next])).toEqual([next.name]);
    await using client = await openClient(url);
    const { rows } = await client.query(
      "select table_name::text as name from citus_tables where citus_table_type = 'distributed' and table_name::text like 'project%' order by 1",
    );
    expect(rows).toEqual([{ name: 'project_words' }, { name: 'projects' }]);
    expect((await client.query('select reference from offers')).rowCount).toBe(0);
  });

  test.for([
    ['a worker', () => citusUrl(name, 'one'), 'This node is a worker'],
    ['missing workers', () => citusUrl(`${name}_alone`), 'citus_set_coordinator_host'],
  ] as const)('%s is refused', async ([, url, reason]) => {
    if (reason.startsWith('citus_set')) {
      await runSql(citusUrl('postgres'), `create database ${name}_alone`);
      await runSql(url(), 'create extension citus');
    }
    await expect(distribute(url())).rejects.toThrow(reason);
  });
});

/** Numbers of rows, and constraints, as PostgreSQL knows them on the coordinator. */
async function describeDatabase(url: string) {
  await using client = await openClient(url);
  const { rows: tables } = await client.query(
    `select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables.filter((table) => !/_\d+$/.test(table.name))) {
    counts[name] = Number((await client.query(`select count(*) from ${name}`)).rows[0].count);
  }
  const { rows: constraints } = await client.query(
    `select conrelid::regclass::text as table, conname, pg_get_constraintdef(oid) as definition from pg_constraint
     where connamespace = 'public'::regnamespace and conrelid::regclass::text !~ '_[0-9]{6}$' order by 1, 2`,
  );
  return { counts, constraints };
}

async function countShards(url: string): Promise<number> {
  await using client = await openClient(url);
  return Number((await client.query('select count(*) from pg_dist_shard')).rows[0].count);
}

/** The steps of a whole run, which is stopped at the last. */
async function stepsOf(url: string): Promise<string[]> {
  const steps: string[] = [];
  const stop = stopAt('commit on every node');
  await distribute(url, (step) => {
    steps.push(step);
    stop(step);
  }).catch(() => undefined);
  return steps;
}

/** Ends the run at a step, as a crash would: the step is not taken, and nothing is committed. */
function stopAt(last: string) {
  return (step: string) => {
    if (step === last) throw new Error(`stopped at ${step}`);
  };
}
