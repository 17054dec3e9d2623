import { afterAll, expect, test } from 'vitest';
import { companyList } from '../src/companies/list.ts';
import { contactList } from '../src/contacts/list.ts';
import { connect, type Queryable } from '../src/db/connect.ts';
import { readPage } from '../src/db/listing.ts';
import type { Listing, ListPlace } from '../src/db/listing-shape.ts';
import { tenantOfCommand } from '../src/db/tenant.ts';
import { taskList } from '../src/tasks/list.ts';
import { createWorld } from './world.ts';

// Between two statements of one read, a row that the filters exclude enters or leaves the order that is read.

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
afterAll(() => db.close());

/** The row that comes and goes. */
const MOVED = 20;
const idOf = (n: number) => `01890000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
/** The same in SQL, for a column `n`. */
const ID = "('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";

type Read = {
  list: Listing<{ id: string }>;
  workspace: string;
  filters: Record<string, unknown>;
  sort: string;
  /** How many ids are enough; without it, the list is read to its end. */
  enough?: number;
};

/** Reads a list, and calls `move` after the nth statement, if there is one. */
async function read(
  { list, workspace, filters, sort, enough = Infinity }: Read,
  nth: number,
  move: () => Promise<unknown>,
) {
  let sent = 0;
  const rows: Queryable['rows'] = async (statement, parameters) => {
    const found = await db.rows(statement, parameters);
    if ((sent += 1) === nth) await move();
    return found;
  };
  const row: Queryable['row'] = async (...asked) => (await rows(...asked))[0];
  const tenant = tenantOfCommand({ rows, row }, workspace, 'test');
  const ids: string[] = [];
  let after: ListPlace | undefined;
  do {
    const page = await readPage(list, tenant, { filters, sort, after, limit: 10 });
    ids.push(...page.rows.map(({ id }) => id));
    after = page.next;
  } while (after && ids.length < enough);
  return { ids: ids.slice(0, enough), isLast: sent <= nth };
}

/** The different results if the row moves after the first, second, … statement. @param move there and back in turn */
async function readAround(list: Read, move: () => Promise<unknown>): Promise<string[][]> {
  const found: string[][] = [];
  for (let [nth, isLast] = [1, false]; !isLast; nth += 1) {
    const there = await read(list, nth, move);
    const back = await read(list, nth, move);
    found.push(there.ids, back.ids);
    isLast = there.isLast && back.isLast;
  }
  return [...new Map(found.map((ids) => [ids.join(), ids])).values()];
}

test('tasks found among the next ones are read once, when a task before them is completed or reopened', async () => {
  const { id: workspace, owner } = await world.workspace();
  // The first look checks 200 open tasks. Most of the tasks changed lately are done.
  await world.query(
    `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id, completed, updated_at)
     select $1, ${ID}, 'Ring', timestamptz '2026-06-01' + n * interval '1 s', true, $2, n >= 400,
       case when n >= 400 or n % 50 in (0, 49) then timestamptz '2026-02-01' else '2026-01-01' end
     from generate_series(0, 1600) as n`,
    [workspace, owner.id],
  );
  const matches = Array.from({ length: 400 }, (_, n) => n).filter((n) => n % 50 === 0 || n % 50 === 49);
  const filters = { completed: false, updated_since: '2026-01-15T00:00:00Z' };
  const found = await readAround({ list: taskList, workspace, filters, sort: 'due_date' }, () =>
    world.query('update tasks set completed = not completed where tenant_id = $1 and id = $2', [
      workspace,
      idOf(MOVED),
    ]),
  );
  expect(found).toEqual([matches.map(idOf)]);
});

test('contacts found along an index are read once, when a contact before them is changed', async () => {
  const { id: workspace } = await world.workspace();
  // The longest look checks 10 200 contacts. Nearly all of those with the address come later.
  await world.query(
    `with numbers as (select n from generate_series(0, 11299) as n),
     added as (
       insert into contacts (tenant_id, id, name, notes, updated_at)
       select $1, ${ID}, 'Kari', '', timestamptz '2026-01-01Z' + n * interval '1 s' from numbers),
     points as (
       insert into contact_points (tenant_id, contact_id, type, label, value)
       select $1, ${ID}, 'email', '', 'kari@example.no' from numbers
       where n in (100, 10199, 10200) or n >= 10300 returning *)
     insert into contact_words (tenant_id, contact_id, point_id, word)
     select tenant_id, contact_id, id, word from points`,
    [workspace],
  );
  await world.query('analyze contacts, contact_points, contact_words');
  const filters = { email: 'kari@example.no' };
  const place = new Date(Date.UTC(2026, 0, 1, 0, 0, MOVED));
  let isAway = false;
  const found = await readAround(
    { list: contactList, workspace, filters, sort: 'updated_at', enough: 5 },
    () => {
      isAway = !isAway;
      return world.query('update contacts set updated_at = $3 where tenant_id = $1 and id = $2', [
        workspace,
        idOf(MOVED),
        isAway ? new Date(Date.UTC(2027, 0)) : place,
      ]);
    },
  );
  expect(found).toEqual([[100, 10_199, 10_200, 10_300, 10_301].map(idOf)]);
});

test.each([
  ['word by word', { q: 'berg' }],
  ['by id', { q: 'berg', status: 'lead' }],
])('companies found by a word, %s, are read once, when another is renamed', async (_, filters) => {
  const { id: workspace } = await world.workspace();
  // The first statement checks 110 of the companies with the word, most of which are deleted.
  await world.query(
    `with added as (
       insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees,
         nace_primary, is_deleted)
       select $1, ${ID}, (900000000 + n)::text, 'BERG', 'lead', 'api', 'AS', '2020-01-01', 0, '00.000',
         n not in (5, 109, 110, 390)
       from generate_series(0, 399) as n returning *)
     insert into company_words (tenant_id, company_id, word) select tenant_id, id, 'berg' from added`,
    [workspace],
  );
  const remove = "delete from company_words where tenant_id = $1 and company_id = $2 and word = 'berg'";
  const add = "insert into company_words (tenant_id, company_id, word) values ($1, $2, 'berg')";
  let hasWord = true;
  const found = await readAround({ list: companyList, workspace, filters, sort: 'id' }, () => {
    hasWord = !hasWord;
    return world.query(hasWord ? add : remove, [workspace, idOf(MOVED)]);
  });
  expect(found).toEqual([[5, 109, 110, 390].map(idOf)]);
});
