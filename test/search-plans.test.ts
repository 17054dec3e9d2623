import { expect, test } from 'vitest';
import { COMPANY } from '../bench/lists-seed.ts';
import { companyList } from '../src/companies/list.ts';
import { contactList } from '../src/contacts/list.ts';
import type { Listing, Shape } from '../src/db/listing-shape.ts';
import { listStatements } from '../src/db/statement.ts';
import { offerList } from '../src/offers/list.ts';
import { taskList } from '../src/tasks/list.ts';
import { createPlans, LIMIT, MOST_READ, PLANS, rowsRead } from './plans.ts';

const { tenant, explain, planOf } = await createPlans();

test('rows that have several words are read from the index of rows by their words, with any plan', async () => {
  const statements = listStatements().filter(({ title }) => title.startsWith('find by '));
  expect(statements).toHaveLength(2);
  for (const { title, text } of statements) {
    for (const mode of PLANS) {
      const words = `$$'${tenant.id}ring' & '${tenant.id}kari'$$`;
      const plan = await explain(text, [`'${tenant.id}'`, words], mode);
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
    for (const mode of PLANS) {
      const plan = await explain(
        text,
        parameters.map((name) => values[name]!),
        mode,
      );
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
    for (const mode of PLANS) {
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
      for (const mode of PLANS) {
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
      for (const mode of PLANS) {
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
