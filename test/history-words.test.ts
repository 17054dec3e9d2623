import { expect, test } from 'vitest';
import { HISTORY_WORDS } from '../src/csv/history-words.ts';
import { EXPECTED } from './expected-entries.ts';

// The path is not a literal, so that tsc leaves the page's modules to the compiler of `web/`.
const page = '../web/routes/settings-history/words.ts';
const { words } = (await import(page)) as { words: Record<'nb' | 'en', Record<string, object>> };

const { action, resource, actor, field } = HISTORY_WORDS;

test.each(['nb', 'en'] as const)('the history page and its CSV file use the same words in %s', (language) => {
  const said = (each: object) =>
    Object.fromEntries(Object.entries(each).map(([name, one]) => [name, one[language]]));
  const { actions, resources, kinds, fields } = words[language];
  expect([action, resource, actor, field].map(said)).toEqual([actions, resources, kinds, fields]);
});

test('every field of an entry has its word', () => {
  const fields = Object.values(EXPECTED).flatMap((entry) => entry.fields);
  expect(fields.filter((name) => field[name] === undefined)).toEqual([]);
});
