import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { runSql } from '../../test/database.ts';
import { fullSubUnitRecord, recordOf, type RegisterRecord } from '../../test/register-records.ts';
import { readAllRows } from '../../test/rows.ts';
import { endWithFile, ownDatabase, ROOT } from '../../test/service.ts';
import { migrate } from '../db/migrate.ts';
import { readMigrations } from '../db/migrations.ts';
import { importRegister } from '../register/mirror/import/import.ts';
import { fileSource } from '../register/mirror/import/source.ts';
import { generatedUnit } from '../register/sandbox/generated.ts';
import { makeBackup } from './make.ts';
import { checkBackup, restoreBackup } from './restore.ts';

endWithFile();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-under-changed-tables-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();
const migrations = readMigrations(`${ROOT}migrations`);

/** The migration that rewrites tasks and offers, since PostgreSQL computes a new column for each row. */
const REWRITE = 16;

const upTo = (last: number) => migrations.filter(({ version }) => version <= last);

const ID = '01a1fc3d-b0e5-73d9-bbfc-9441bd513ac6';

const ROWS = `
  insert into workspaces (id, name) values ('${ID}', 'Prøve AS');
  insert into users (id, email, first_name, last_name) values ('${ID}', 'kari@example.no', 'Kari', 'Nordmann');
  insert into memberships (tenant_id, user_id, role) values ('${ID}', '${ID}', 'owner');
  insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
    values ('${ID}', '${ID}', '923609016', 'Ås AS', 'lead', 'api', 'AS', '2020-01-01', 0, '00.000');
  insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id, related_company_id)
    values ('${ID}', '${ID}', 'Ring', now(), true, '${ID}', '${ID}');
  insert into offers (tenant_id, id, title, company_id, user_id, status, one_time_revenue, recurring_revenue,
      recurring_frequency, weight)
    values ('${ID}', '${ID}', 'Avtale', '${ID}', '${ID}', 'sent', 0, 0, 'monthly', 50)`;

/** A connection that sees which tables others wait for. */
async function openWatcher(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return {
    run: (text: string) => client.query(text),
    async awaited(table: string): Promise<void> {
      // Tables of other databases have the same numbers.
      const text = `select from pg_locks where not granted and relation = '${table}'::regclass
        and database = (select oid from pg_database where datname = current_database())`;
      await expect.poll(async () => (await client.query(text)).rowCount, { interval: 10 }).toBe(1);
    },
  };
}

/** @returns all rows */
async function restore(path: string) {
  const url = await ownDatabase({ empty: true });
  await restoreBackup({ databaseUrl: url, file: await checkBackup(path, { signal }), signal });
  return readAllRows(url);
}

test('a backup begun during a migration waits for it, and has the rows of the tables that it rewrites', async () => {
  const url = await ownDatabase({ empty: true });
  await migrate(url, upTo(REWRITE - 1));
  await runSql(url, ROWS);
  const watcher = await openWatcher(url);
  await watcher.run('begin; lock table offers in access share mode');
  const migrated = migrate(url, upTo(REWRITE));
  await watcher.awaited('offers');
  const path = join(folder, 'migration.backup');
  const made = makeBackup({ databaseUrl: url, path, release: '1', signal });
  await watcher.awaited('schema_migrations');
  await watcher.run('commit');
  await Promise.all([migrated, made]);
  const restored = await restore(path);
  expect(restored).toMatchObject({ tasks: [expect.any(String)], offers: [expect.any(String)] });
});

test('an import of the register waits for a backup of the mirror, whose rows are of one moment', async () => {
  const url = await ownDatabase();
  const importRecords = async (record: RegisterRecord) => {
    const file = join(folder, `${record.organisasjonsnummer}.json`);
    await writeFile(file, JSON.stringify([record]));
    return importRegister({ databaseUrl: url, sources: [fileSource(file)] });
  };
  await importRecords(recordOf(generatedUnit('923609016')));
  const watcher = await openWatcher(url);
  // The backup reads this table before that of units.
  await watcher.run('begin; lock table offers in access exclusive mode');
  const path = join(folder, 'register.backup');
  const made = makeBackup({ databaseUrl: url, path, release: '1', withRegister: true, signal });
  await watcher.awaited('offers');
  // The unit is of a kind that is not in the file, so the import copies its row.
  const imported = importRecords(fullSubUnitRecord('311777777'));
  await Promise.race([imported, watcher.awaited('register_units')]);
  await watcher.run('commit');
  await Promise.all([imported, made]);
  const restored = await restore(path);
  expect(restored['register_units']).toEqual([expect.stringContaining('923609016')]);
});
