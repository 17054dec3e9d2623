import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPANY, seedLists, USER } from '../bench/lists-seed.ts';
import { companyList } from '../src/companies/list.ts';
import { noteList, timelineList } from '../src/companies/timeline-list.ts';
import { contactList } from '../src/contacts/list.ts';
import { connect } from '../src/db/connect.ts';
import { readPage } from '../src/db/listing.ts';
import { compileList, sievesOf } from '../src/db/listing-statement.ts';
import type { Listing, Shape } from '../src/db/listing-shape.ts';
import { listStatements, valuesOf } from '../src/db/statement.ts';
import { tenantOfCommand } from '../src/db/tenant.ts';
import { offerList } from '../src/offers/list.ts';
import { taskList } from '../src/tasks/list.ts';
import { vacuum } from './vacuum.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const client = new Client({ connectionString: world.databaseUrl });
const db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
const tenant = tenantOfCommand(db, crypto.randomUUID(), 'test');

const ROWS = 4_000;
const LIMIT = 25;
/** Rows that a page reads at most: those of each part, the one that tells of more, and some that an index gives beside. */
const MOST_READ = 4 * (LIMIT + 1);
const SINCE = '2026-01-01T00:20:00Z';

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

type Filters = Record<string, unknown>;
const of = (name: string, value: unknown): Filters => ({ [name]: value });
const updated = of('updated_since', SINCE);
const cases: [Listing, Filters][] = [
  ...[
    {},
    of('status', 'lead'),
    of('assigned_to', USER),
    of('unassigned', true),
    of('archived', true),
    of('archived', false),
    updated,
  ].map((filters): [Listing, Filters] => [companyList, filters]),
  ...[{}, updated].map((filters): [Listing, Filters] => [contactList, filters]),
  ...[
    {},
    of('user_id', USER),
    of('company_id', COMPANY),
    of('completed', false),
    of('completed', true),
    updated,
    of('due_from', '2026-07-01T00:00:00Z'),
    of('due_before', '2026-07-01T00:00:00Z'),
    { user_id: USER, completed: false },
  ].map((filters): [Listing, Filters] => [taskList, filters]),
  ...[{}, of('user_id', USER), of('company_id', COMPANY), of('status', 'sent'), updated].map(
    (filters): [Listing, Filters] => [offerList, filters],
  ),
  [noteList, {}],
  [timelineList, of('company', COMPANY)],
];
const shapes = cases.flatMap(([list, filters]) =>
  ['id', ...Object.keys(list.sorts)].map((sort) => ({
    list,
    filters,
    sort,
    name: `${list.title} ${JSON.stringify(filters)} by ${sort}`,
  })),
);

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
};

async function planOf(list: Listing, shape: Shape, parameters: Filters, mode: string): Promise<Node[]> {
  const statement = compileList(list, shape);
  const values = valuesOf(statement, { tenant: tenant.id, ...parameters }).map((value) =>
    value === null || value === undefined
      ? 'null'
      : client.escapeLiteral(`${value as string | number | boolean}`),
  );
  await client.query(`set plan_cache_mode = ${mode}`);
  await client.query(`prepare page as ${statement.text}`);
  const { rows } = await client.query(`explain (analyze, format json) execute page (${values.join(', ')})`);
  await client.query('deallocate page');
  return flatten(rows[0]['QUERY PLAN'][0].Plan);
}

function flatten(plan: Node): Node[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flatten)];
}

/** Rows that a plan reads from tables, kept or not; sequential scans count as wrong at once. */
function rowsRead(plan: Node[]): number {
  expect(plan.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  const counts = plan
    .filter((node) => node['Node Type'].includes('Scan') && node['Node Type'] !== 'Subquery Scan')
    .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
  return counts.reduce((sum, count) => sum + count, 0);
}

test.each(shapes)(
  '$name reads a page and no more, the first and a later one',
  async ({ list, filters, sort }) => {
    const { next } = await readPage(list, tenant, { filters, sort, after: undefined, limit: 5 });
    const [id, value] = next!.toReversed();
    const names = Object.keys(filters);
    const isDirect = sievesOf(list, { filters: names, sort }).length === 0;
    const place = { after_id: id, after_value: value };
    for (const goesOn of [false, true]) {
      const shape: Shape = { filters: names, sort, goesOn, ...(!isDirect && { by: 'looking' }) };
      const parameters = { ...filters, ...(goesOn ? place : {}), limit: LIMIT + 1, reach: 500 };
      const modes =
        isDirect && names.length < 2 ? ['force_generic_plan', 'force_custom_plan'] : ['force_custom_plan'];
      for (const mode of modes) {
        const read = rowsRead(await planOf(list, shape, parameters, mode));
        expect([goesOn, mode, read <= (isDirect ? MOST_READ : 2 * 500)]).toEqual([goesOn, mode, true]);
      }
    }
  },
);

const place = (n: number) => `01890000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

test.each<[string, Listing, string, Filters]>([
  ['a number', companyList, 'q', { q: '900000777', q_word: '900000777' }],
  ['a number with spaces', companyList, 'q', { q: '900 000 777', q_number: '900000777' }],
  ['a telephone number', contactList, 'q', { q: '+4790000777', q_number: '90000777' }],
  ['two words', contactList, 'q', { q: 'a b', q_word: 'aa', q_other: 'bb' }],
  ['an email address', contactList, 'email', { email: 'x@example.no' }],
  ['a company', contactList, 'company_id', { company_id: place(7) }],
])('matches of %s are read from an index, with each sort', async (_, list, name, parameters) => {
  for (const sort of ['id', ...Object.keys(list.sorts)]) {
    const shape: Shape = { filters: [name], sort, goesOn: false, by: { matchesOf: name } };
    const plan = await planOf(list, shape, { ...parameters, limit: LIMIT + 1 }, 'force_custom_plan');
    expect([sort, rowsRead(plan) <= MOST_READ]).toEqual([sort, true]);
  }
});

test('rows that have several words are read from the index of rows by their words, with any plan', async () => {
  const statements = listStatements().filter(({ title }) => title.startsWith('meet '));
  expect(statements).toHaveLength(2);
  for (const { title, text } of statements) {
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`);
      await client.query(`prepare met as ${text}`);
      const { rows } = await client.query(
        `explain (analyze, format json) execute met ('${tenant.id}', $$'${tenant.id}ring' & '${tenant.id}kari'$$)`,
      );
      await client.query('deallocate met');
      const plan = flatten(rows[0]['QUERY PLAN'][0].Plan);
      const indexes = plan.map((node) => node['Index Name']).filter(Boolean);
      expect([title, mode, indexes.length, indexes[0]!.endsWith('_by_words')]).toEqual([
        title,
        mode,
        1,
        true,
      ]);
      expect(rowsRead(plan.filter((node) => node['Node Type'] !== 'Bitmap Index Scan'))).toBeLessThan(
        MOST_READ,
      );
    }
  }
});

test('the words that begin with another are found in indexes, by jumps, with any plan', async () => {
  const values: Record<string, string> = {
    tenant: `'${tenant.id}'`,
    q: "'a'",
    q_start: 'null',
    q_number: 'null',
  };
  const statements = listStatements().filter(({ title }) => /^list \w+_words$/.test(title));
  expect(statements).toHaveLength(4);
  for (const { title, text, parameters } of statements) {
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`);
      await client.query(`prepare listed as ${text}`);
      const given = parameters.map((name) => values[name]).join();
      const { rows } = await client.query(`explain (analyze, format json) execute listed (${given})`);
      await client.query('deallocate listed');
      const plan = flatten(rows[0]['QUERY PLAN'][0].Plan);
      const read = plan.filter((node) => node['Relation Name']);
      const indexes = new Set(read.map((node) => node['Index Name']));
      expect([title, mode, indexes.has(undefined), rowsRead(read) <= 2 * 41]).toEqual([
        title,
        mode,
        false,
        true,
      ]);
      if (title === 'list contact_words') expect(indexes).toContain('contact_points_by_first_word');
    }
  }
});

test.each<[string, Shape['by'] & object, number]>([
  ['in order of id', { among: 'q' }, MOST_READ],
  ['along the index of a sort', { walking: 'q' }, 3 * 500],
  ['word by word', { among: 'q', isByWord: true }, MOST_READ],
  ['beside those that begin with the word', { beginning: 'q' }, MOST_READ],
  ['and sorted', { matchesOf: 'q', areSure: true }, MOST_READ],
])('matches of a search are read %s without a look at other rows, with any plan', async (_, by, most) => {
  for (const list of [companyList, contactList, taskList, offerList]) {
    const sort = list.sorts['name'] ? 'name' : '-updated_at';
    if ('beginning' in by && sort !== 'name') continue;
    const shape: Shape = { filters: ['q'], sort: 'among' in by ? 'id' : sort, goesOn: false, by };
    const parameters = {
      q: '900000777',
      q_word: '900000777',
      q_words: '{900000777}',
      limit: LIMIT + 1,
      reach: 500,
    };
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      const plan = await planOf(list, shape, parameters, mode);
      expect([list.title, mode, rowsRead(plan) <= most]).toEqual([list.title, mode, true]);
    }
  }
});

test.each([companyList, contactList])(
  'matches of a search of $title are sorted in an index: rows are read for the page alone',
  async (list) => {
    const word = list === companyList ? 'as' : 'anne';
    for (const sort of ['name', '-updated_at']) {
      const shape: Shape = { filters: ['q'], sort, goesOn: false, by: { matchesOf: 'q', areSure: true } };
      const parameters = { q: word, q_word: word, limit: LIMIT + 1, reach: LIMIT + 100 };
      for (const mode of ['force_generic_plan', 'force_custom_plan']) {
        const plan = await planOf(list, shape, parameters, mode);
        const rows = plan.filter((node) => node['Relation Name'] === list.table);
        const heap = rows.filter((node) => node['Node Type'] !== 'Index Only Scan');
        expect([sort, mode, heap.length < rows.length, rowsRead(heap) <= MOST_READ]).toEqual([
          sort,
          mode,
          true,
          true,
        ]);
      }
    }
  },
);

test('a word that most rows have costs a page, by id, and one that begins many names does by name', async () => {
  const cases: [Listing, string, Shape['by'] & object, object][] = [
    [companyList, 'id', { among: 'q', isByWord: true }, { q: 'as', q_words: '{as}', reach: LIMIT + 1 }],
    [contactList, 'name', { beginning: 'q' }, { q: 'anne', q_word: 'anne', reach: LIMIT + 1 }],
  ];
  for (const [list, sort, by, more] of cases) {
    for (const goesOn of [false, true]) {
      const place = { after_id: COMPANY, after_value: 'Anne A' };
      const shape: Shape = { filters: ['q'], sort, goesOn, by };
      for (const mode of ['force_generic_plan', 'force_custom_plan']) {
        const plan = await planOf(list, shape, { ...more, ...place, limit: LIMIT + 1 }, mode);
        const tables = plan.filter((node) => node['Relation Name'] === list.table);
        const heap = tables.filter((node) => node['Node Type'] !== 'Index Only Scan');
        expect([list.title, goesOn, mode, rowsRead(heap) <= MOST_READ]).toEqual([
          list.title,
          goesOn,
          mode,
          true,
        ]);
        expect(plan.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
      }
    }
  }
});

test.each(Object.keys(contactList.sorts))(
  'contacts of a company by %s are looked for in indexes: only those found are read',
  async (sort) => {
    const shape: Shape = { filters: ['company_id'], sort, goesOn: false, by: 'looking' };
    const parameters = { company_id: COMPANY, limit: LIMIT + 1, reach: 2_500 };
    const plan = await planOf(contactList, shape, parameters, 'force_custom_plan');
    const tables = plan.filter((node) => node['Node Type'] === 'Index Scan');
    expect(rowsRead(tables)).toBeLessThanOrEqual(LIMIT + 1);
    expect(plan.filter((node) => node['Node Type'] === 'Index Only Scan').length).toBe(2);
    expect(rowsRead(plan)).toBeLessThanOrEqual(2 * 2_500);
  },
);

describe('contacts of a company whose links hold what they are sorted by', () => {
  beforeAll(async () => {
    await client.query(
      `update contact_companies as l set contact_name = name, contact_updated_at = updated_at from contacts as c
       where c.tenant_id = l.tenant_id and c.id = l.contact_id and l.company_id = '${COMPANY}'`,
    );
    await client.query('update contacts set ordered_version = version where tenant_id = $1', [tenant.id]);
    await vacuum(world, ['contacts', 'contact_companies']);
  });

  test.each(Object.keys(contactList.sorts))('by %s are read from an index, with any plan', async (sort) => {
    for (const goesOn of [false, true]) {
      const shape: Shape = { filters: ['company_id'], sort, goesOn, by: { orderedBy: 'company_id' } };
      const value = sort === 'name' ? 'Kari' : '2026-01-01T00:30:00Z';
      const place = { after_id: COMPANY, after_value: value };
      const parameters = { company_id: COMPANY, limit: LIMIT + 1, ...(goesOn && place) };
      for (const mode of ['force_generic_plan', 'force_custom_plan']) {
        const read = rowsRead(await planOf(contactList, shape, parameters, mode));
        expect([goesOn, mode, read <= MOST_READ]).toEqual([goesOn, mode, true]);
      }
    }
  });
});
