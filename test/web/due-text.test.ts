import { expect, test } from 'vitest';
import { readDue, splitDue } from '../../web/routes/tasks/due-text.ts';

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
  ['29.2', '2028-02-29', null],
  ['29. februar', '2028-02-29', null],
  ['24. des. 2026', '2026-12-24', null],
  ['5 Sept 2027', '2027-09-05', null],
  ['29. november', '2026-11-29', null],
  ['2026-12-01', '2026-12-01', null],
  ['på neste fredag', '2026-11-27', null],
  ['den 3. desember kl. 10', '2026-12-03', '10:00'],
  ['kl. 10 i morgen', '2026-11-22', '10:00'],
  ['kl 9.30 på fredag', '2026-11-27', '09:30'],
  ['kl. 9 24.12', '2026-12-24', '09:00'],
  ['i morgen klokka 10', '2026-11-22', '10:00'],
  ['klokken 10:15 fredag', '2026-11-27', '10:15'],
  ['on 24 December', '2026-12-24', null],
  ['12:15', '2026-11-21', '12:15'],
])('%s is %s %s', (text, day, time) => {
  expect(readDue(text, TODAY)).toEqual({ day, time });
});

test.each([
  '',
  'snart',
  '31.2',
  '32.1',
  'i dag kl. 25',
  'i dag 12:60',
  'om mange dager',
  'ma',
  '13.13.2026',
  'constructor',
  'om constructor dager',
])('%s is no day', (text) => {
  expect(readDue(text, TODAY)).toBeUndefined();
});

test.each([
  ['Ring Kari i morgen kl. 9', 'Ring Kari', 'i morgen kl. 9'],
  ['Ring Kari  I morgen ', 'Ring Kari', 'I morgen'],
  ['Call Kari tomorrow at 9', 'Call Kari', 'tomorrow at 9'],
  ['Ring fredag', 'Ring', 'fredag'],
  ['Ring på fredag 14:30', 'Ring', 'på fredag 14:30'],
  ['Call on Friday', 'Call', 'on Friday'],
  ['Ring Per neste uke', 'Ring Per', 'neste uke'],
  ['Ring om 3 dager', 'Ring', 'om 3 dager'],
  ['Follow up in two weeks', 'Follow up', 'in two weeks'],
  ['Send tilbud 24. des.', 'Send tilbud', '24. des.'],
  ['Send offer 24 December 2027', 'Send offer', '24 December 2027'],
  ['Send tilbud 24.12.2027 kl. 8', 'Send tilbud', '24.12.2027 kl. 8'],
  ['Møte kl. 14.30', 'Møte', 'kl. 14.30'],
  ['Møte den 3. desember kl. 10', 'Møte', 'den 3. desember kl. 10'],
  ['Ring Kari kl. 10 i morgen', 'Ring Kari', 'kl. 10 i morgen'],
  ['Ring Kari i morgen klokka 10', 'Ring Kari', 'i morgen klokka 10'],
  ['Call Kari on 24 December', 'Call Kari', 'on 24 December'],
  ['Ring Kari på neste fredag', 'Ring Kari', 'på neste fredag'],
  ['Flytt møtet kl. 10 til kl. 12 i morgen', 'Flytt møtet kl. 10 til kl. 12', 'i morgen'],
])('%s is the task %s, due %s', (text, title, due) => {
  expect(splitDue(text, TODAY)).toEqual({ title, due });
});

test.each([
  'i morgen',
  'Ring i morgen Kari',
  'Ring Tor',
  'Enjoy the sun',
  'Oppdater til 1.2',
  'Les kapittel 24.12',
  'Les 12:15',
  'Look at 9',
  'Agenda for i morgen',
  'Plan for next week',
  'Svar før fredag kl. 14',
  'Møte fra mandag til onsdag',
  'Send 3 tilbud',
  'Møte kl. 25',
  'Bestill 31. februar',
])('%s says what is to be done alone', (text) => {
  expect(splitDue(text, TODAY)).toBeUndefined();
});
