import { expect, test } from 'vitest';
import { allStatements } from './all-statements.ts';

test('no statement names a time zone but UTC, because PostgreSQL may not know one that Node knows', async () => {
  const statements = await allStatements();
  const faults = statements.filter(({ text }) => /\bat time zone (?!'UTC')|\btimezone\(/.test(text));
  expect(faults.map(({ title }) => title)).toEqual([]);
});
