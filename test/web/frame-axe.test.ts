import { describe, expect, test } from 'vitest';
import { axe, CHROMIUM, useBrowser } from '../browser.ts';
import { createWorld } from '../world.ts';
import { visitsWithAnswers } from './answers.ts';

const world = await createWorld();
const enter = visitsWithAnswers(useBrowser(), world.origin);

describe.skipIf(CHROMIUM === undefined)('every page in its frame', () => {
  test('has nothing that axe objects to, wide and on a phone', async () => {
    const { page, open, go, show } = await enter();
    await open('/nothing');
    for (const screen of ['wide', 'phone'] as const) {
      await show(screen);
      for (const path of ['/', '/shortcuts', '/settings/profile', '/nothing']) {
        await go(path);
        expect([screen, path, await axe(page)]).toEqual([screen, path, []]);
      }
    }
  });
});
