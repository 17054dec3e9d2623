import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { codesIn, readDocument, tableUnder } from '../documents.ts';
import { stepClock } from '../faults/clock.ts';
import { fillDisk } from '../faults/disk.ts';
import { breachesOf } from '../faults/outcome.ts';
import { findFaults } from '../faults/registers.ts';
import { THIRTY } from '../faults/thirty.ts';
import { ROOT } from '../service.ts';

// The short form of `npm run test:faults`: what no other test does to the service.
describe.concurrent('the service holds', () => {
  test('on a full disk, which a backup reports', async ({ expect }) => {
    expect(breachesOf(await fillDisk({ refusals: 10, writers: 2 }))).toEqual([]);
  });

  test('while its clock and that of PostgreSQL step', async ({ expect }) => {
    expect(breachesOf(await stepClock({ writes: 5 }))).toEqual([]);
  });
});

describe('reads and writes of one field', () => {
  const [a, b] = [operation('write', 'a', 0, 1), operation('write', 'b', 2, 5)];

  test.each([
    [
      'a read during a write may see either',
      [a, b, operation('read', 'a', 3, 4), operation('read', 'b', 3, 4)],
    ],
    [
      'two writes at once may come in any order',
      [a, operation('write', 'b', 0, 1), operation('read', 'a', 2, 3)],
    ],
  ])('have an order: %s', (_, history) => {
    expect(findFaults(history)).toEqual([]);
  });

  test.each([
    ['a value that was overwritten is back', [a, b, operation('read', 'a', 6, 7)]],
    ['two values take turns', [a, b, operation('read', 'b', 3, 3.2), operation('read', 'a', 3.5, 4)]],
    ['a value nobody wrote', [a, operation('read', 'c', 2, 3)]],
    ['a value from the future', [a, operation('read', 'b', 1, 1.5), b]],
  ])('have none: %s', (_, history) => {
    expect(findFaults(history)).not.toEqual([]);
  });
});

function operation(kind: 'read' | 'write', value: string, sent: number, answered: number) {
  return { kind, value, sent, answered };
}

test('the table of faults is that of the runner, and names tests that are there', async () => {
  const rows = tableUnder(await readDocument('docs/faults.md'), 'The thirty');
  expect(rows.map(([number, title, tests]) => [Number(number), title, codesIn(tests)])).toEqual(
    THIRTY.map(({ number, title, files }) => [number, title, files]),
  );
  for (const file of new Set(THIRTY.flatMap(({ files }) => files))) await readFile(ROOT + file);
});
