import { expect, test } from 'vitest';
import { readWhole } from '../../web/words/whole-number.ts';

const NBSP = '\u00A0';

test.each([
  ['nb', '1250', 1250],
  ['nb', ' 1 250 ', 1250],
  ['nb', `9${NBSP}007\u202F199\u2009254 740 991`, 9_007_199_254_740_991],
  ['nb', '12.500', 12_500],
  ['nb', '1.250.000,00', 1_250_000],
  ['nb', '1250,0', 1250],
  ['nb', `kr${NBSP}1 250,-`, 1250],
  ['nb', '1 250,– kr.', 1250],
  ['nb', '1 250 NOK', 1250],
  ['nb', '50 %', 50],
  ['nb', '1250\t\r\n', 1250],
  // A digit was taken out of 125 000.
  ['nb', '125 00', 12_500],
  ['nb', ' ', 0],
  ['en', '1250', 1250],
  ['en', '1 250', 1250],
  ['en', 'NOK 1,250', 1250],
  ['en', '1,250,000.00', 1_250_000],
  ['en', '1250.0', 1250],
  ['en', '1,250,-', 1250],
  ['en', '', 0],
] as const)('%s: %s is %i', (language, text, value) => {
  expect(readWhole(text, language)).toBe(value);
});

test.each([
  ['nb', '1250,50'],
  ['nb', '33,5'],
  ['nb', '1250,'],
  ['nb', '1,250'],
  ['nb', '12.50'],
  ['nb', '125.00'],
  ['nb', '1250.000'],
  ['nb', '1.250.00'],
  ['nb', '1,250.00'],
  ['nb', '-5'],
  ['nb', '\u22125'],
  ['nb', '+5'],
  ['nb', '12 kr 50'],
  ['nb', '1250\t50'],
  ['nb', '1250\n50'],
  ['nb', '1e3'],
  ['nb', '0x10'],
  ['nb', 'mye'],
  ['nb', 'kr'],
  ['nb', '9007199254740992'],
  ['en', '1250.50'],
  ['en', '1,25'],
  // A digit was taken out of 125,000, or it is 125 as Bokmål writes it.
  ['en', '125,00'],
  ['en', '1250,000'],
  ['en', '1.250'],
  ['en', '1.250,00'],
  ['en', '-5'],
] as const)('%s: %s is not a whole number', (language, text) => {
  expect(readWhole(text, language)).toBeNaN();
});
