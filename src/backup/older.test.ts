import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSql } from '../../test/database.ts';
import { readAllRows, readSchema } from '../../test/rows.ts';
import { endWithFile, ownDatabase, ROOT } from '../../test/service.ts';
import { migrate } from '../db/migrate.ts';
import { readMigrations } from '../db/migrations.ts';
import { makeBackup } from './make.ts';
import { checkBackup, restoreBackup } from './restore.ts';

endWithFile();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-older-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();
const migrations = readMigrations(`${ROOT}migrations`);

const ID = '01a1fc3d-b0e5-73d9-bbfc-9441bd513ac6';
const OTHER = '01a1fc3d-b0e6-7fd0-929c-6311a18836e7';

/** Rows that a database gets as soon as it has the migration of this number. */
const ROWS: Record<number, string> = {
  1: `insert into workspaces (id, name) values ('${ID}', 'Prøve AS'), ('${OTHER}', 'Annen AS');
    insert into users (id, email, first_name, last_name) values
      ('${ID}', 'Kari@example.no', 'Kari', 'Nordmann'), ('${OTHER}', 'ola@example.no', 'Ola', 'Hansen');
    insert into memberships (tenant_id, user_id, role, removed_at) values
      ('${ID}', '${ID}', 'owner', null), ('${ID}', '${OTHER}', 'member', now()), ('${OTHER}', '${OTHER}', 'owner', null);
    insert into api_keys (tenant_id, id, user_id, digest, permissions) values
      ('${ID}', 'one', '${ID}', 'x', 255), ('${ID}', 'two', '${OTHER}', 'y', 1);
    insert into companies (tenant_id, id, orgnr, name, status, assigned_to, source, org_form, registered_at, employees,
        nace_primary, is_deleted, kept_fields) values
      ('${ID}', '${ID}', '923609016', 'Café Ås', 'lead', '${ID}', 'api', 'AS', '2020-01-01', 0, '00.000', false, '{phone_number}'),
      ('${OTHER}', '${ID}', '923609016', 'Borte AS', 'lead', null, 'api', 'AS', '2020-01-01', 0, '00.000', true, '{}');
    insert into timeline_entries (tenant_id, company_id, type, content, user_id)
      select '${ID}', '${ID}', 'add_comment', '{"text": "en\\nto"}', '${ID}' from generate_series(1, 3);
    insert into contacts (tenant_id, id, name, notes) values ('${ID}', '${ID}', 'José', E'tab\t'), ('${OTHER}', '${ID}', 'Ida', '');
    insert into contact_points (tenant_id, contact_id, type, label, value) values
      ('${ID}', '${ID}', 'email', '', 'jose@example.no'), ('${ID}', '${ID}', 'mobile', '', '+47 900 00 000');
    insert into contact_companies (tenant_id, contact_id, company_id, role) values ('${ID}', '${ID}', '${ID}', 'Leder');
    insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id, related_company_id) values
      ('${ID}', '${ID}', 'Ring', now(), true, '${ID}', '${ID}');
    insert into offers (tenant_id, id, title, company_id, user_id, status, one_time_revenue, recurring_revenue,
        recurring_frequency, weight) values
      ('${ID}', '${ID}', 'Avtale', '${ID}', '${ID}', 'accepted', 9007199254740991, 0, 'monthly', 100)`,
  2: `insert into register_units (orgnr, name, org_form, registered_at, employees, nace_primary, is_branch, as_of)
      values ('923609016', 'Café Ås', 'AS', '2020-01-01', 1, '00.000', false, now());
    insert into register_removed values ('999999999', now());
    insert into register_copy (imported_at, current_at, units_after, units_since, branches_since)
      values (now(), now(), 7, now(), now())`,
  7: `insert into demo_data (tenant_id, companies) values ('${ID}', '{${ID}}')`,
  10: `insert into changes (tenant_id, resource, resource_id, action, fields, "values", actor_kind)
      values ('${ID}', 'contact', '${ID}', 'created', '{name}', '{}', 'command');
    insert into change_counters (tenant_id) values ('${ID}');
    insert into remembered_answers (tenant_id, scope, idempotency_key, fingerprint, body, status)
      values ('${ID}', 'one', 'k', '\\x00ff', '{}', 201)`,
};

/** Tables that differ between databases: migrations are applied at other times in each. */
const OWN = ['schema_migrations'];

type Rows = Awaited<ReturnType<typeof readAllRows>>;

/** A database as a release leaves it whose newest migration is `name`. */
type State = {
  name: string;
  /** Its backup. */
  path: string;
  rows: Rows;
  /** What an upgrade to this release makes of it. */
  upgraded: { rows: Rows; schema: Awaited<ReturnType<typeof readSchema>> };
};

const states = new Map<string, State>();

/** One database goes through all states; those between which no rows are added share one upgrade. */
beforeAll(async () => {
  const url = await ownDatabase({ empty: true });
  let since: Omit<State, 'upgraded'>[] = [];
  for (const [at, { version, name }] of migrations.entries()) {
    await migrate(url, migrations.slice(0, at + 1));
    if (ROWS[version] !== undefined) await runSql(url, ROWS[version]);
    const path = join(folder, `${name}.backup`);
    await makeBackup({ databaseUrl: url, path, release: '1', withRegister: true, signal });
    since.push({ name, path, rows: await readAllRows(url, OWN) });
    const next = migrations[at + 1];
    if (next && ROWS[next.version] === undefined) continue;
    const upgraded = await upgradeCopy(url);
    for (const state of since) states.set(state.name, { ...state, upgraded });
    since = [];
  }
});

async function upgradeCopy(url: string): Promise<State['upgraded']> {
  const copy = await ownDatabase({ empty: true, options: `template ${new URL(url).pathname.slice(1)}` });
  await migrate(copy);
  return { rows: await readAllRows(copy, OWN), schema: await readSchema(copy) };
}

test.concurrent.each(migrations)(
  'a database and a backup of $name give the same rows and schema',
  async ({ name }) => {
    const { path, rows: before, upgraded } = states.get(name)!;
    const restored = await ownDatabase({ empty: true });
    await restoreBackup({ databaseUrl: restored, file: await checkBackup(path, { signal }), signal });
    const after = await readAllRows(restored, OWN);
    expect(after).toEqual(upgraded.rows);
    expect(await readSchema(restored)).toEqual(upgraded.schema);
    for (const [table, rows] of Object.entries(before)) {
      if (table in after) expect([table, after[table]!.length]).toEqual([table, rows.length]);
    }
    expect(after['company_words']!.length).toBe(6);
  },
);
