import { randomUUIDv7 } from 'node:crypto';
import { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { listCompanies } from '../src/companies/store.ts';
import { valuesOf, type Statement } from '../src/db/statement.ts';
import { FIRST_ID } from '../src/http/listed.ts';
import { listMembers } from '../src/members/store.ts';
import { vacuum } from './vacuum.ts';
import type { Workspace } from './workspace.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

const ROWS = 3_000;
const OFFSET = 2_500;
const LIMIT = 26;

type Page = { tenant: string; after: string; limit: number; offset: number };

type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Heap Fetches'?: number;
  Plans?: Plan[];
};

let workspace: Workspace;
const ids = Array.from({ length: ROWS }, () => randomUUIDv7()).toSorted();
/** All but every tenth, which is a deleted company and a removed member. */
const listed = ids.filter((_, index) => index % 10 !== 0);

beforeAll(async () => {
  workspace = await world.workspace();
  await world.query(
    `insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary, is_deleted)
     select $1, id, (100000000 + n)::text, 'Prøve AS', 'prospect', 'api', 'AS', '2020-01-01', 0, '00.000', n % 10 = 1
     from unnest($2::uuid[]) with ordinality as row (id, n)`,
    [workspace.id, ids],
  );
  await world.query(
    `insert into users (id, email, first_name, last_name)
     select id, 'user' || n || '@example.no', 'Kari', 'Nordmann' from unnest($1::uuid[]) with ordinality as row (id, n)`,
    [ids],
  );
  await world.query(
    `insert into memberships (tenant_id, user_id, removed_at)
     select $1, id, case when n % 10 = 1 then now() end from unnest($2::uuid[]) with ordinality as row (id, n)`,
    [workspace.id, ids],
  );
  await vacuum(world, ['companies', 'users', 'memberships']);
});

/** How PostgreSQL carries a prepared statement out: with a plan for any parameters, or for these. */
async function planOf<Row>(
  statement: Statement<Page, Row>,
  mode: 'force_generic_plan' | 'force_custom_plan',
): Promise<Plan[]> {
  const client = new Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    const page = { tenant: workspace.id, after: FIRST_ID, limit: LIMIT, offset: OFFSET };
    const values = valuesOf(statement, page).map((value) => client.escapeLiteral(String(value)));
    await client.query(`set plan_cache_mode = ${mode}`);
    await client.query(`prepare deep as ${statement.text}`);
    const { rows } = await client.query(`explain (analyze, format json) execute deep (${values.join(', ')})`);
    return flatten(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.end();
  }
}

function flatten(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flatten)];
}

describe.each([
  { path: '/companies', table: 'companies', statement: listCompanies as Statement<Page, unknown> },
  { path: '/users', table: 'memberships', statement: listMembers as Statement<Page, unknown> },
])('GET $path', ({ path, table, statement }) => {
  test.each(['force_generic_plan', 'force_custom_plan'] as const)(
    'passes over rows in the index alone (%s)',
    async (mode) => {
      const plan = await planOf(statement, mode);
      const reading = plan.filter((node) => node['Relation Name'] !== undefined);
      const skipping = reading.filter((node) => node['Actual Rows'] > OFFSET);
      expect(
        skipping.map((node) => [node['Node Type'], node['Relation Name'], node['Heap Fetches']]),
      ).toEqual([['Index Only Scan', table, 0]]);
      const rest = reading.filter((node) => !skipping.includes(node));
      expect(Math.max(...rest.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(LIMIT);
    },
  );

  test('shows the same rows in the same order at every depth', async () => {
    const all: string[] =
      path === '/users' ? [...listed, workspace.owner.id, workspace.member.id].toSorted() : listed;
    for (const offset of [0, 1, OFFSET, all.length - 3, all.length, all.length + 1, 10_000]) {
      const { body } = await workspace.client.get(`${path}?limit=5&offset=${offset}`);
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual(all.slice(offset, offset + 5));
      expect(body.page).toEqual({ size: 5, offset, has_more: all.length > offset + 5 });
    }
  });
});
