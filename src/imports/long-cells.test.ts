import { expect, test } from 'vitest';
import { check } from '../../test/import-file.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('no content of a cell blocks the service', async () => {
  const browser = await (await world.workspace()).signIn();
  const size = 200_000;
  const gaps = `a${' '.repeat(size)}b`;
  const rows = [['Navn'], [gaps]];
  expect((await check(browser, 'contact', rows))[0].reasons).toEqual([{ field: 'name', code: 'too_long' }]);
  const other = [
    ['Navn', 'Annet'],
    ['Kari', `a:${' '.repeat(size)}\u2028b`],
  ];
  expect(await check(browser, 'contact', other)).toHaveLength(1);
  const dots = [['x'], [`a@${'.'.repeat(size)}@`]];
  const guessed = await browser.post('/import-guesses', { resource: 'contact', rows: dots });
  expect(guessed.body.data.columns).toEqual([null]);
});
