import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { valuesOf, type Statement } from '../db/statement.ts';
import { createWorld } from '../../test/world.ts';
import { findChangedWorkspaces, findResources, readState } from './store.ts';

const world = await createWorld();

const NOBODY = '00000000-0000-0000-0000-000000000000';

// oxlint-disable-next-line typescript/no-explicit-any -- a plan
type Plan = any;

// On Citus `explain` is no JSON for such statements, and one of them is not sent there.
test.skipIf(inject('postgres').isCitus).each<[string, Statement<never, unknown>, object]>([
  ['findChangedWorkspaces', findChangedWorkspaces, { workspaces: [NOBODY], ids: [0] }],
  ['readState', readState, { tenant: NOBODY }],
  ['findResources', findResources, { tenant: NOBODY, after: 0, until: 9 }],
])('%s reads no entries of another workspace, however many it has', async (_, statement, parameters) => {
  const workspace = await world.workspace();
  await world.query(
    `insert into changes (tenant_id, resource, resource_id, action, fields, "values", actor_kind, id)
     select $1, 'task', n::text, 'created', '{}', '{}', 'command', case when n % 2 = 0 then n end
     from generate_series(1, 5000) as n`,
    [workspace.id],
  );
  await world.query('analyze changes');
  const client = new Client({ connectionString: world.databaseUrl });
  await client.connect();
  const values = valuesOf(statement, parameters as never).map((value) =>
    client.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value)),
  );
  await client.query(`prepare asked as ${statement.text}`);
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await client.query(`set plan_cache_mode = ${mode}`);
    const { rows } = await client.query(
      `explain (analyze, format json) execute asked (${values.join(', ')})`,
    );
    const read = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
      .filter((node) => node['Relation Name'] === 'changes')
      .reduce((sum, node) => sum + node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), 0);
    expect([mode, read]).toEqual([mode, 0]);
  }
  await client.end();
});

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
