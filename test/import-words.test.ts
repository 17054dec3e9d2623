import { expect, test } from 'vitest';
import { FIELDS, guessColumns, type Imported } from '../src/imports/fields.ts';

// The path is not a literal, so that tsc leaves the page's modules to the compiler of `web/`.
const page = '../web/routes/import/words.ts';
type Words = { fields: Record<string, string> };
const { words } = (await import(page)) as { words: Record<'nb' | 'en', Words> };

test.each(['nb', 'en'] as const)('an import recognises what its page calls the fields, in %s', (language) => {
  for (const [resource, fields] of Object.entries(FIELDS)) {
    const header = fields.map((field) => words[language].fields[field]!);
    expect(guessColumns(resource as Imported, [header])).toEqual(fields);
    // Each by itself, too: none is found only because another was taken.
    expect(header.map((name) => guessColumns(resource as Imported, [[name]])[0])).toEqual(fields);
  }
});

test('an import recognises the columns that exports had before', () => {
  const earlier = [
    ['notes', 'contact', 'Merknader'],
    ['one_time_revenue', 'offer', 'One-time revenue'],
    ['recurring_revenue', 'offer', 'Gjentakende beløp'],
    ['recurring_revenue', 'offer', 'Recurring revenue'],
    ['recurring_frequency', 'offer', 'Periode'],
    ['recurring_frequency', 'offer', 'Period'],
  ] as const;
  for (const [field, resource, name] of earlier) expect(guessColumns(resource, [[name]])).toEqual([field]);
});
