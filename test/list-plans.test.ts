import { beforeAll, describe, expect, test } from 'vitest';
import { COMPANY, USER } from '../bench/lists-seed.ts';
import { companyList } from '../src/companies/list.ts';
import { noteList, timelineList } from '../src/companies/timeline-list.ts';
import { contactList } from '../src/contacts/list.ts';
import { readPage } from '../src/db/listing.ts';
import { sievesOf, type Listing, type Shape } from '../src/db/listing-shape.ts';
import { cardList } from '../src/offers/cards.ts';
import { offerList } from '../src/offers/list.ts';
import { taskList } from '../src/tasks/list.ts';
import { allLists } from './all-statements.ts';
import { vacuum } from './vacuum.ts';
import { createPlans, LIMIT, MOST_READ, PLANS, ROWS, rowsRead, type Filters } from './plans.ts';

const { world, client, tenant, planOf } = await createPlans();

const PEOPLE = new Set<string | undefined>(['memberships', 'users']);

const SINCE = '2026-01-01T00:20:00Z';

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
  ...[{}, of('status', 'sent'), of('user_id', USER), of('company_id', COMPANY)].map(
    (filters): [Listing, Filters] => [cardList, filters],
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

test('every list has a case, except that of deleted companies, which are few', async () => {
  const titles = (await allLists()).map(({ title }) => title);
  expect(new Set([...cases.map(([{ title }]) => title), 'deleted companies'])).toEqual(new Set(titles));
});

test('each filter that indexes support has a case of its own', async () => {
  const lists = (await allLists()).filter(({ title }) => title !== 'deleted companies');
  const supported = lists.flatMap(({ title, equal, sieves }) => {
    const ranges = Object.keys(sieves).filter((name) => sieves[name]!.range);
    return [...Object.keys(equal), ...ranges].map((name) => `${title} ${name}`);
  });
  const tested = new Set(cases.map(([{ title }, filters]) => `${title} ${Object.keys(filters).join(' ')}`));
  expect(new Set(supported).difference(tested), 'add the filter to `cases`').toEqual(new Set());
});

test.each(shapes)(
  '$name reads no more than a page, for the first page and a later one',
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
        const plan = await planOf(list, shape, parameters, mode);
        // There is one person here, who is read without an index.
        const read = rowsRead(plan.filter((node) => !PEOPLE.has(node['Relation Name'])));
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

test('a look that may go to the end of a list reads it in order, and only until the page is full', async () => {
  const shape: Shape = { filters: ['status', 'updated_since'], sort: 'id', goesOn: false, by: 'looking' };
  const parameters = { status: 'sent', updated_since: SINCE, limit: LIMIT + 1, reach: 2_500 };
  const plan = await planOf(offerList, shape, parameters, 'force_custom_plan');
  expect(rowsRead(plan)).toBeLessThan(ROWS / 10);
});

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
      for (const mode of PLANS) {
        const read = rowsRead(await planOf(contactList, shape, parameters, mode));
        expect([goesOn, mode, read <= MOST_READ]).toEqual([goesOn, mode, true]);
      }
    }
  });
});
