import { afterAll, expect, inject, test } from 'vitest';
import { RELEASED } from '../src/db/migrations.ts';
import { listShardedTables, REFERENCE_TABLES, TRIGGERS } from '../src/db/sharding/tables.ts';
import { allStatements, canBePrepared } from './all-statements.ts';
import { openClient } from './database.ts';
import { createWorld } from './world.ts';

// The rules that let the tables of workspace data be sharded by workspace: see docs/scaling.md.

const world = await createWorld();
const client = await openClient(world.databaseUrl);
afterAll(() => client.end());
const sharded = await listShardedTables(client);
const belowWorkspaces = [...sharded, 'memberships', 'api_keys'];

const OF_A_PERSON = 'belongs to a person, who may be a member of several workspaces';
const OF_ALL = 'the same for all workspaces';

/** Tables that stay on the coordinator, and why. */
const LOCAL = {
  sessions: OF_A_PERSON,
  welcome_links: OF_A_PERSON,
  sign_in_attempts: OF_A_PERSON,
  sign_in_steps: OF_A_PERSON,
  passkeys: OF_A_PERSON,
  identities: OF_A_PERSON,
  register_units: OF_ALL,
  register_removed: OF_ALL,
  register_copy: OF_ALL,
  register_mirror: OF_ALL,
  register_feeds: OF_ALL,
  register_invalidations: OF_ALL,
  register_set_aside: OF_ALL,
  backup_state: OF_ALL,
  schema_migrations: OF_ALL,
};

/** Statements on sharded tables that name no workspace, and why; they reach every shard, and are rare. */
const OF_ALL_WORKSPACES = new Map([
  ['list workspaces with companies', 'the register names units, not workspaces'],
  ['next orgnrs', 'the register names units, not workspaces'],
  ['find changed workspaces', 'on one server, one query for all who wait, whose workspaces it names'],
  ['find changed workspaces on shards', 'one query for all who wait, whose workspaces it names'],
  ['take the snapshot of every node', 'a backup or an export is of one moment of all nodes'],
  ['delete expired answers', 'housekeeping'],
  ['delete old use of keys', 'housekeeping'],
  ['delete rows of old imports', 'housekeeping'],
  ['delete old imports', 'housekeeping'],
  ['forget what imports changed', 'housekeeping'],
]);

/** Statements for a single server; on shards another statement takes their place. */
const NOT_ON_CITUS = new Set(['find changed workspaces']);

test('every table is sharded, on every node, or on the coordinator with a reason', async () => {
  const { rows } = await client.query(
    "select relname from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace",
  );
  const known = [...sharded, ...REFERENCE_TABLES, ...Object.keys(LOCAL)].toSorted();
  expect(rows.map(({ relname }): string => relname).toSorted()).toEqual(known);
});

test('every primary key and unique constraint of workspace data begins with the workspace', async () => {
  const { rows } = await client.query(
    `select i.indexrelid::regclass::text as index from pg_index i
     left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indisunique and i.indrelid = any($1::regclass[]) and a.attname is distinct from 'tenant_id'`,
    [belowWorkspaces],
  );
  expect(rows).toEqual([]);
});

test('statistics of every table of workspace data soon know a new workspace', async () => {
  const { rows } = await client.query(
    `select oid::regclass::text as table from pg_class
     where oid = any($1::regclass[]) and not coalesce(reloptions, '{}') @>
       '{autovacuum_analyze_scale_factor=0.005,autovacuum_analyze_threshold=2000}'`,
    [sharded],
  );
  expect(rows).toEqual([]);
});

test('every foreign key of workspace data begins with the workspace, and none leads from elsewhere to a shard', async () => {
  const { rows } = await client.query(
    `select conname as name, conrelid::regclass::text as from, confrelid::regclass::text as to,
       array(select attname::text from unnest(conkey) with ordinality as k (n, place)
         join pg_attribute on attrelid = conrelid and attnum = n order by place) as columns
     from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
  );
  const faults = rows.filter(({ from, to, columns }) => {
    if (!belowWorkspaces.includes(from)) return belowWorkspaces.includes(to);
    if (columns[0] !== 'tenant_id') return !REFERENCE_TABLES.includes(to);
    return to !== 'workspaces' && !belowWorkspaces.includes(to);
  });
  expect(faults).toEqual([]);
  const outOfNodes = rows.filter(
    ({ from, to }) => REFERENCE_TABLES.includes(from) && !REFERENCE_TABLES.includes(to),
  );
  expect(outOfNodes).toEqual([]);
});

/** Foreign keys of a migration between a sharded table and one that it creates and has not marked with `-- shard`. */
function keysBeforeMarkers(text: string): string[] {
  const statements = text.replaceAll(/--(?! shard ).*/g, '').split(';');
  return statements.flatMap((statement, place) => {
    const [marks = ''] = statement.split(/^(?:create|alter)\b/m);
    const before = [...statements.slice(0, place), marks].join(';');
    const isUnmarked = (table: string) =>
      new RegExp(`^create table ${table}\\b`, 'm').test(text) &&
      !new RegExp(`^-- shard ${table}$`, 'm').test(before);
    const [, from = ''] = /^(?:create|alter) table (\w+)/m.exec(statement) ?? [];
    return [...statement.matchAll(/\breferences (\w+)/g)]
      .map(([, to]) => to!)
      .filter((to) => !REFERENCE_TABLES.includes(to) && isUnmarked(from) !== isUnmarked(to))
      .map((to) => `${from} to ${to}`);
  });
}

test('a migration marks a table that it creates before foreign keys to or from it', () => {
  const table = `
create table projects (tenant_id uuid references workspaces (id), id uuid, company_id uuid);
`;
  const key = `alter table projects add constraint projects_company
  foreign key (tenant_id, company_id) references companies (tenant_id, id);`;
  expect(keysBeforeMarkers(`${table}-- shard projects\n${key}`)).toEqual([]);
  for (const text of [`${table}${key}`, `${table}${key}\n-- shard projects\n`])
    expect(keysBeforeMarkers(text)).toEqual(['projects to companies']);
  // Databases of earlier versions were never distributed.
  const later = RELEASED.filter(({ version }) => version > 17);
  const faults = later.flatMap(({ name, text }) => keysBeforeMarkers(text).map((each) => `${name}: ${each}`));
  expect(faults, 'add `-- shard <table>` before the foreign key').toEqual([]);
});

test('no table has a trigger but those that distribute takes away', async () => {
  const { rows } = await client.query(
    `select tgname from pg_trigger join pg_class c on c.oid = tgrelid
     where c.relnamespace = current_schema()::regnamespace and not tgisinternal and tgname <> all ($1)`,
    [Object.values(TRIGGERS)],
  );
  expect(rows).toEqual([]);
});

const statements = await allStatements();
const onShards = statements.filter(({ text }) => sharded.some((table) => reads(text, table)));

/** Whether a table is named where statements name tables. */
function reads(text: string, table: string): boolean {
  return new RegExp(`\\b(?:from|join|update|into|using|,)\\s+"?${table}"?\\b`).test(text);
}

test('PostgreSQL takes every statement; on Citus, one of a workspace goes to one shard', async () => {
  const { isCitus } = inject('postgres');
  const elsewhere = new Set<string>();
  for (const { title, text } of statements.filter(canBePrepared)) {
    await client.query(`prepare one as ${text}`);
    if (isCitus && !NOT_ON_CITUS.has(title) && (await countTasks()) > 1) elsewhere.add(title);
    await client.query('deallocate one');
  }
  expect([...elsewhere].filter((title) => !OF_ALL_WORKSPACES.has(title))).toEqual([]);
});

/** Shards that the widest part of the prepared statement asks. */
async function countTasks(): Promise<number> {
  const { rows: types } = await client.query<{ type: string }>(
    "select unnest(parameter_types)::text as type from pg_prepared_statements where name = 'one'",
  );
  const values = types.map(({ type }) => valueOf(type)).join(', ');
  const { rows } = await client.query(`explain execute one${values && `(${values})`}`);
  const tasks = rows.map((row) => Number(/Task Count: (\d+)/.exec(row['QUERY PLAN'])?.[1] ?? 0));
  return Math.max(...tasks);
}

function valueOf(type: string): string {
  if (type.endsWith('[]')) return `array[${valueOf(type.slice(0, -2))}]::${type}`;
  const literals: Record<string, string> = { uuid: '1'.repeat(32), jsonb: '[]', bytea: '', boolean: 'true' };
  const literal = literals[type] ?? (/^(?:timestamp|date)/.test(type) ? '2026-01-01' : '1');
  return `'${literal}'::${type}`;
}

test('every statement on a sharded table names the workspace', () => {
  expect(onShards.length).toBeGreaterThan(50);
  const without = onShards.filter(
    ({ text, parameters }) =>
      !text.includes('tenant_id') || !parameters.some((name) => name.startsWith('tenant')),
  );
  expect(without.map(({ title }) => title).toSorted()).toEqual([...OF_ALL_WORKSPACES.keys()].toSorted());
});

test('every sharded table in a statement is compared with the workspace itself, not with that of another row', () => {
  const faults = onShards.filter(({ title, text }) => {
    const read = text.match(
      new RegExp(`\\b(?:from|join|update|using)\\s+"?(?:${sharded.join('|')})"?(?=\\W)`, 'g'),
    );
    const compared = text.match(/\btenant_id"? = \$\d/g);
    return !OF_ALL_WORKSPACES.has(title) && (compared?.length ?? 0) < (read?.length ?? 0);
  });
  expect(faults.map(({ title }) => title)).toEqual([]);
});

test('a statement that changes a table of every node reads those tables alone', () => {
  const write = new RegExp(
    `\\b(?:insert into|update|delete from)\\s+"?(?:${REFERENCE_TABLES.join('|')})"?(?=\\W)`,
  );
  const others = [...sharded, ...Object.keys(LOCAL)];
  const faults = statements.filter(
    ({ text }) => write.test(text) && others.some((table) => reads(text, table)),
  );
  expect(faults.map(({ title }) => title)).toEqual([]);
});

test('what is inserted into a table of every node from another is given back by an alias', () => {
  const tables = `"?(?:${REFERENCE_TABLES.join('|')})"?`;
  const insert = new RegExp(
    `\\binsert into ${tables}\\s*\\([^)]*\\)\\s*select\\b.*\\bfrom ${tables}\\s.*\\breturning\\b`,
    's',
  );
  expect(statements.filter(({ text }) => insert.test(text)).map(({ title }) => title)).toEqual([]);
});

test('no statement on a shard asks for locks or sessions, of which each node has its own', () => {
  // The lock of one workspace is wanted where the workspace is.
  const others = onShards.filter(({ title }) => title !== 'prune changes');
  const faults = others.filter(({ text }) => /\bpg_(?:locks|stat|advisory|try_advisory|notify)/.test(text));
  expect(faults.map(({ title }) => title)).toEqual([]);
});

/** Functions that PostgreSQL must call each time; Citus refuses them there in statements that write. */
const NOT_IMMUTABLE =
  /\b(?:now\(\)|current_date|current_timestamp|clock_timestamp\(|statement_timestamp\(|random\(|nextval\(|gen_random_uuid\()/;

test('no statement that writes to a shard computes what is not immutable in case or coalesce', () => {
  const faults = onShards
    .filter(({ text }) => /\b(?:insert into|update|delete from)\b/.test(text))
    .filter(({ text }) => conditionals(text).some((part) => NOT_IMMUTABLE.test(part)));
  expect(faults.map(({ title }) => title)).toEqual([]);
});

test('no statement on a shard computes what is not immutable in the condition of on conflict', () => {
  const conditions = onShards.map(({ title, text }) => ({
    title,
    condition:
      /\bon conflict\b.*?\bdo update set\b.*?\bwhere\b(.*?)(?:\breturning\b|$)/s.exec(text)?.[1] ?? '',
  }));
  expect(conditions.filter(({ condition }) => NOT_IMMUTABLE.test(condition))).toEqual([]);
});

test('no `returning` clause has an expression that is not immutable', () => {
  const faults = statements.filter(({ text }) =>
    returned(text).some((part) => NOT_IMMUTABLE.test(part) || /\bextract\(epoch/.test(part)),
  );
  expect(faults.map(({ title }) => title)).toEqual([]);
});

/** The text after each `returning`, up to the end of what encloses it. */
function returned(text: string): string[] {
  return [...text.matchAll(/\breturning\b((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)/g)].map(
    ([, part = '']) => part,
  );
}

/** The text of each `case … end` and `coalesce(…)`, without those within. */
function conditionals(text: string): string[] {
  const cases = text.match(/\bcase\b(?:(?!\bcase\b).)*?\bend\b/gs) ?? [];
  const coalesces = text.match(/\bcoalesce\((?:[^()]|\([^()]*\))*\)/gs) ?? [];
  return [...cases, ...coalesces];
}

test('a row that is locked in a common table expression is read without a join', () => {
  // Citus reads the result of such a join in another format than it writes it in.
  const joined = onShards.filter(({ text }) => /\bfor (?:no key )?update of\b/.test(text));
  expect(joined.map(({ title }) => title)).toEqual([]);
});
