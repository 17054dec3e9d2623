import { describe, expect, test } from 'vitest';
import { axe, CHROMIUM, useBrowser } from '../browser.ts';
import { createWorld } from '../world.ts';
import { visitsWithAnswers } from './answers.ts';

const world = await createWorld();
const enter = visitsWithAnswers(useBrowser(), world.origin);

describe.skipIf(CHROMIUM === undefined)('every page in its frame', () => {
  test.each(['wide', 'phone'] as const)('has nothing that axe objects to, %s', async (screen) => {
    const { page, open } = await enter({ screen });
    for (const path of ['/', '/shortcuts', '/settings/profile', '/nothing']) {
      await open(path);
      expect(await axe(page)).toEqual([]);
    }
  });
});
