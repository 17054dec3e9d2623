import { expect, test } from 'vitest';
import { digitsOf, searchText, wordsOf } from './search-text.ts';

test.each([
  ['KONGSBERG GRUPPEN ASA', 'kongsberg gruppen asa'],
  ['CAFÉ MÜLLER & SØNN, AVD. ÅS', 'cafe muller sønn avd ås'],
  ['ÆRØ  "ÅSE" \\ 100% A/S', 'ærø åse 100 a s'],
  ['Å Å\u030A A\u030A Ǻ ẤǞ', 'å å å å aa'],
  ['7-ELEVEN', '7 eleven'],
  ['\u{1F600}.', ''],
])('%s is searched as %s', (name, text) => {
  expect(searchText(name)).toBe(text);
  expect(searchText(text)).toBe(text);
});

test('words and digits are read from what is typed', () => {
  expect(wordsOf(' asa,  Kong ')).toEqual(['asa', 'kong']);
  expect(wordsOf(' -- ')).toEqual([]);
  expect(digitsOf('923 609\u00A0016')).toBe('923609016');
  expect(digitsOf('923')).toBe('923');
  for (const q of ['923.609.01', '923-609 01']) expect(digitsOf(q)).toBe('92360901');
  for (const q of ['9236090161', '923a', '+923', '7-11', '923.', '']) expect(digitsOf(q)).toBeUndefined();
});
