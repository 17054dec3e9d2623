import { Client } from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { seedLists } from '../bench/lists-seed.ts';
import { connect } from '../src/db/connect.ts';
import { compileList } from '../src/db/listing-statement.ts';
import type { Listing, Shape } from '../src/db/listing-shape.ts';
import { valuesOf } from '../src/db/statement.ts';
import { tenantOfCommand } from '../src/db/tenant.ts';
import { vacuum } from './vacuum.ts';
import { createWorld } from './world.ts';

export const ROWS = 4_000;
export const LIMIT = 25;
/** Rows that a page reads at most: a page and one more of each part, and some that an index adds. */
export const MOST_READ = 4 * (LIMIT + 1);

/** How PostgreSQL may plan a prepared statement: for any values, or for those given. */
export const PLANS = ['force_generic_plan', 'force_custom_plan'] as const;

export type Filters = Record<string, unknown>;

export type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
};

/** A filled workspace in a database of its own, and the plans of statements there. Call it once, outside of any test. */
export async function createPlans() {
  const world = await createWorld();
  const client = new Client({ connectionString: world.databaseUrl });
  const db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
  const tenant = tenantOfCommand(db, crypto.randomUUID(), 'test');

  beforeAll(async () => {
    await client.connect();
    const sizes = { companies: ROWS, contacts: ROWS, tasks: ROWS, offers: ROWS, notes: ROWS };
    await seedLists(client, tenant.id, sizes);
    await vacuum(world, ['companies', 'contacts', 'tasks', 'offers']);
  });

  afterAll(async () => {
    await client.end();
    await db.close();
  });

  function planOf(list: Listing, shape: Shape, parameters: Filters, mode: string): Promise<Node[]> {
    const statement = compileList(list, shape);
    const values = valuesOf(statement, { tenant: tenant.id, ...parameters }).map((value) =>
      value === null || value === undefined
        ? 'null'
        : client.escapeLiteral(`${value as string | number | boolean}`),
    );
    return explain(client, statement.text, values, mode);
  }

  return {
    world,
    client,
    tenant,
    explain: (text: string, values: readonly string[], mode: string) => explain(client, text, values, mode),
    planOf,
  };
}

/** The nodes of the plan of a statement, executed. @param values as SQL, of its parameters in order */
export async function explain(
  client: Client,
  text: string,
  values: readonly string[],
  mode: string,
): Promise<Node[]> {
  await client.query(`set plan_cache_mode = ${mode}`);
  await client.query(`prepare explained as ${text}`);
  const { rows } = await client.query(
    `explain (analyze, format json) execute explained (${values.join(', ')})`,
  );
  await client.query('deallocate explained');
  return flatten(rows[0]['QUERY PLAN'][0].Plan);
}

function flatten(plan: Node): Node[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flatten)];
}

/** Rows that a plan reads from tables, also those that a filter removes. A sequential scan fails the test. */
export function rowsRead(plan: Node[]): number {
  expect(plan.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  const counts = plan
    .filter((node) => node['Node Type'].includes('Scan') && node['Node Type'] !== 'Subquery Scan')
    .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
  return counts.reduce((sum, count) => sum + count, 0);
}
