import { expect, test } from 'vitest';
import { readDue } from '../../web/routes/tasks/due-text.ts';

/** A Saturday. */
const TODAY = '2026-11-21';

test.each([
  ['i dag', '2026-11-21', null],
  ['I morgen', '2026-11-22', null],
  ['tomorrow at 9', '2026-11-22', '09:00'],
  ['i overmorgen', '2026-11-23', null],
  ['fredag', '2026-11-27', null],
  ['på fredag kl. 14', '2026-11-27', '14:00'],
  ['fre 14:30', '2026-11-27', '14:30'],
  ['lørdag', '2026-11-28', null],
  ['monday', '2026-11-23', null],
  ['neste uke', '2026-11-23', null],
  ['om 3 dager', '2026-11-24', null],
  ['in two weeks', '2026-12-05', null],
  ['om en måned', '2026-12-21', null],
  ['24.12', '2026-12-24', null],
  ['24.12.', '2026-12-24', null],
  ['24/12 kl 8', '2026-12-24', '08:00'],
  ['1.2', '2027-02-01', null],
  ['1.2.28', '2028-02-01', null],
  ['24. des. 2026', '2026-12-24', null],
  ['5 Sept 2027', '2027-09-05', null],
  ['29. november', '2026-11-29', null],
  ['2026-12-01', '2026-12-01', null],
  ['12:15', '2026-11-21', '12:15'],
])('%s is %s %s', (text, day, time) => {
  expect(readDue(text, TODAY)).toEqual({ day, time });
});

test.each(['', 'snart', '31.2', '32.1', 'i dag kl. 25', 'i dag 12:60', 'om mange dager', 'ma', '13.13.2026'])(
  '%s is no day',
  (text) => {
    expect(readDue(text, TODAY)).toBeUndefined();
  },
);
