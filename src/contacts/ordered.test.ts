import { afterAll, expect, test } from 'vitest';
import { vacuum } from '../../test/vacuum.ts';
import { walk } from '../../test/walk.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { connect, type Queryable } from '../db/connect.ts';
import { readPage } from '../db/listing.ts';
import type { ListPlace } from '../db/listing-shape.ts';
import { valuesOf } from '../db/statement.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { contactList } from './list.ts';
import { MAX_SORTED, putContactsInOrder } from './ordered.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
afterAll(() => db.close());

const SORTS = ['id', 'name', 'updated_at', '-updated_at'];

let workspace: Workspace;
let company: string;
let ids: string[];

/** Creates contacts of one company as an earlier release does: the links have no copy of the contact's sort values. */
async function furnish(count: number): Promise<void> {
  workspace = await world.workspace();
  company = (await workspace.company()).id;
  const rows = await world.query(
    `with added as (
       insert into contacts (tenant_id, id, name, notes, updated_at, link_count)
       select $1, gen_random_uuid(), chr(65 + n * 7 % 26) || n % 3, '', timestamptz '2026-01-01' + n * 31 % 1009 * interval '1 s', 1
       from generate_series(1, $3::int) as n returning *)
     insert into contact_companies (tenant_id, contact_id, company_id) select tenant_id, id, $2 from added
     returning contact_id`,
    [workspace.id, company, count],
  );
  ids = rows.map(({ contact_id }) => contact_id as string);
}

const order = () => putContactsInOrder(tenantOfCommand(db, workspace.id, 'test'), { batch: 60 });

/** Every sort gives each contact of the company once, in its place. */
async function expectInOrder(): Promise<void> {
  for (const sort of SORTS) {
    const by = { id: 'id', name: 'name collate "nb-NO-x-icu", id' }[sort] ?? 'updated_at, id';
    const rows = await world.query(
      `select id from contacts as c where tenant_id = $1 and exists (
         select from contact_companies where tenant_id = $1 and contact_id = c.id and company_id = $2) order by ${by}`,
      [workspace.id, company],
    );
    const wanted = rows.map(({ id }) => id as string);
    const read = await walk(workspace.client, `/contacts?company_id=${company}&sort=${sort}`, 17);
    expect([sort, read.map(({ id }) => id)]).toEqual([
      sort,
      sort.startsWith('-') ? wanted.toReversed() : wanted,
    ]);
  }
}

/** Outdated links of contacts whose `ordered_version` says that they are up to date. */
const findWrong = () =>
  world.query(
    `select l.id from contact_companies as l join contacts as c on c.tenant_id = l.tenant_id and c.id = l.contact_id
     where l.tenant_id = $1 and l.contact_name is not null
       and (c.ordered_version is null or c.ordered_version = c.version
         and (l.contact_name, l.contact_updated_at) is distinct from (c.name, c.updated_at))`,
    [workspace.id],
  );

const countOutOfOrder = async () =>
  (
    await world.query(
      `select (select count(*)::int from contacts where tenant_id = $1 and ordered_version <> version and erased_at is null) as behind,
         (select count(*)::int from contact_companies where tenant_id = $1 and contact_name is null) as empty`,
      [workspace.id],
    )
  )[0];

/** Rows that PostgreSQL has read from indexes and tables for all statements that went through `counting`. */
let count = 0;

const counting: Queryable = {
  async rows(statement, parameters) {
    const values = valuesOf(statement, parameters);
    const rows = await world.query(`explain (analyze, format json) ${statement.text}`, values);
    count += rowsRead(rows[0]['QUERY PLAN'][0].Plan);
    return db.rows(statement, parameters);
  },
  async row(statement, parameters) {
    return (await counting.rows(statement, parameters))[0];
  },
};

type Plan = Record<string, never> & { 'Node Type': string; Plans?: Plan[] };

function rowsRead(plan: Plan): number {
  const isRead = plan['Relation Name'] !== undefined || plan['Node Type'] === 'Bitmap Index Scan';
  const own = isRead
    ? (plan['Actual Rows']! + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']!
    : 0;
  return (plan.Plans ?? []).map(rowsRead).reduce((sum, count) => sum + count, own);
}

const LIMIT = 25;

test('the first and a late page of the contacts of a large company read a few rows for each contact', async () => {
  await furnish(3_000);
  await order();
  await vacuum(world, ['contacts', 'contact_companies']);
  const tenant = tenantOfCommand(counting, workspace.id, 'test');
  for (const sort of SORTS) {
    let after: ListPlace | undefined;
    for (const limit of [LIMIT, 2_000, LIMIT]) {
      count = 0;
      const { rows, next } = await readPage(contactList, tenant, {
        filters: { company_id: company },
        sort,
        after,
        limit,
      });
      expect(rows.length).toBe(limit);
      if (limit === LIMIT) expect([sort, count <= 4 * (LIMIT + 1)]).toEqual([sort, true]);
      after = next;
    }
  }
});

test('contacts of an earlier release are read in order, and their links are filled by the next run', async () => {
  await furnish(MAX_SORTED + 60);
  await expectInOrder();
  await order();
  expect(await countOutOfOrder()).toEqual({ behind: 0, empty: 0 });
  await expectInOrder();
  await world.query(
    `update contacts set name = 'Å', notes = 'x', version = version + 1, updated_at = now() where id = any($1)`,
    [ids.slice(0, 5)],
  );
  await world.query(
    `with added as (
       insert into contacts (tenant_id, id, name, notes, link_count) values ($1, gen_random_uuid(), 'Berit', '', 1) returning *)
     insert into contact_companies (tenant_id, contact_id, company_id) select tenant_id, id, $2 from added`,
    [workspace.id, company],
  );
  expect(await countOutOfOrder()).toEqual({ behind: 5, empty: 1 });
  await expectInOrder();
  await order();
  expect(await countOutOfOrder()).toEqual({ behind: 0, empty: 1 });
  expect(await findWrong()).toEqual([]);
  await expectInOrder();
});

/** What a write that succeeds answers. */
async function ok(answering: Promise<{ status: number; body: { data: { id: number } } }>) {
  const { status, body } = await answering;
  expect(status).toBeLessThan(300);
  return body?.data;
}

test('every write keeps the contacts of a large company in order', async () => {
  await furnish(MAX_SORTED + 20);
  await order();
  const { client } = workspace;
  const [one, two, three, four, five] = ids as [string, string, string, string, string];
  await ok(client.patch(`/contacts/${one}`, { name: 'Ågot' }));
  await ok(client.patch(`/contacts/${two}`, { notes: 'Ringte' }));
  const point = await ok(client.post(`/contacts/${three}/points`, { type: 'email', value: 'a@example.no' }));
  await ok(client.patch(`/contacts/${three}/points/${point.id}`, { value: 'b@example.no' }));
  await ok(client.delete(`/contacts/${three}/points/${point.id}`));
  const again = await ok(client.post(`/contacts/${four}/companies`, { company_id: company }));
  await ok(client.patch(`/contacts/${four}/companies/${again.id}`, { role: 'Leder' }));
  const other = await workspace.company();
  const moved = await ok(client.post(`/contacts/${five}/companies`, { company_id: other.id }));
  await ok(client.patch(`/contacts/${five}/companies/${moved.id}`, { company_id: company }));
  const fresh = await workspace.contact({ name: 'Fredrik' });
  const toMove = await ok(client.post(`/contacts/${fresh.id}/companies`, { company_id: other.id }));
  await ok(client.patch(`/contacts/${fresh.id}/companies/${toMove.id}`, { company_id: company }));
  expect(await countOutOfOrder()).toEqual({ behind: 0, empty: 1 });
  expect(await findWrong()).toEqual([]);
  await expectInOrder();
  await ok(client.delete(`/contacts/${four}/companies/${again.id}`));
  await ok(client.delete(`/contacts/${ids[6]}`));
  for (let n = 0; n < MAX_SORTED + 3; n += 1) {
    const { id } = n === 0 ? { id: ids[7]! } : await workspace.contact({ name: `Nils ${n % 5}` });
    await ok(client.post(`/contacts/${id}/companies`, { company_id: company }));
  }
  expect(await countOutOfOrder()).toEqual({ behind: 0, empty: MAX_SORTED });
  expect(await findWrong()).toEqual([]);
  await expectInOrder();
});

test('after a merge, the links that moved are in order', async () => {
  await furnish(MAX_SORTED + 20);
  await order();
  const kept = await workspace.contact({ name: 'Zakarias' });
  const merged = await (await workspace.signIn()).post(`/contacts/${kept.id}/merge`, { other_id: ids[0] });
  expect(merged.status).toBe(200);
  expect(await findWrong()).toEqual([]);
  expect(await countOutOfOrder()).toEqual({ behind: 0, empty: 0 });
  await expectInOrder();
});

test('writes that wait for each other, and for the run that orders, leave every contact in its place', async () => {
  await furnish(MAX_SORTED + 20);
  await order();
  const { client } = workspace;
  const few = ids.slice(0, 3);
  await Promise.all(
    Array.from({ length: 60 }, (_, n) => {
      const path = `/contacts/${few[n % 3]}`;
      if (n % 20 === 19) return order();
      if (n % 4 === 0) return client.post(`${path}/companies`, { company_id: company });
      if (n % 4 === 1) return client.patch(path, { name: `Navn ${n}` });
      return client.post(`${path}/points`, { type: 'email', value: `a${n}@example.no` });
    }),
  );
  expect(await findWrong()).toEqual([]);
  await expectInOrder();
  await order();
  expect((await countOutOfOrder()).behind).toBe(0);
  expect(await findWrong()).toEqual([]);
  await expectInOrder();
});

test('a write of a contact with many links leaves the links to the next run', async () => {
  await furnish(MAX_SORTED + 20);
  await order();
  const [one] = ids as [string];
  await world.query('update contacts set link_count = 60 where id = $1', [one]);
  expect((await workspace.client.patch(`/contacts/${one}`, { name: 'Ås' })).status).toBe(200);
  expect(await countOutOfOrder()).toEqual({ behind: 1, empty: 0 });
  await expectInOrder();
  await order();
  expect(await countOutOfOrder()).toEqual({ behind: 0, empty: 0 });
  await expectInOrder();
});
