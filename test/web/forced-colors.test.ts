import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)("in the system's own colours", async () => {
  const world = await createWorld();
  const visit = useBrowser({ fresh: true });

  test('what is chosen is told from what can be chosen, without its background', async () => {
    const { page, open, go } = await enter({ world, visit }, await world.workspace());
    await page.emulateMedia({ forcedColors: 'active' });
    await open('/tasks');
    // The tabs beside the chosen one come with the counts of the tasks.
    for (const kind of ['tab', 'navigation-link', 'whose-link'])
      await page.locator(`.${kind}:not([aria-current])`).first().waitFor();
    /** The border of the chosen one, and that of each other one. */
    const borders = (chosen: string, others: string) =>
      page.evaluate(`['${chosen}', '${others}'].map((all) =>
        [...new Set([...document.querySelectorAll(all)].map((one) => {
          const { borderBottomWidth, borderBottomColor, backgroundColor } = getComputedStyle(one);
          const isSeen = borderBottomWidth !== '0px' && borderBottomColor !== backgroundColor
            && borderBottomColor !== getComputedStyle(document.documentElement).backgroundColor;
          return isSeen ? borderBottomWidth + ' ' + borderBottomColor : 'none';
        }))])`) as Promise<[string[], string[]]>;
    for (const [chosen, others] of [
      ['.tab[aria-current]', '.tab:not([aria-current])'],
      ['.navigation-link[aria-current]', '.navigation-link:not([aria-current])'],
      ['.whose-link[aria-current]', '.whose-link:not([aria-current])'],
    ] as const) {
      const [[one], rest] = await borders(chosen, others);
      expect.soft(one, chosen).not.toBe('none');
      expect.soft(rest, chosen).toEqual(['none']);
    }
    await go('/import');
    const [[kind], kinds] = await borders('.import-kind[data-selected]', '.import-kind:not([data-selected])');
    expect(kinds).not.toContain(kind);
    const [[step], steps] = await borders(
      '[aria-current] > .import-step-sign',
      'li:not([aria-current]) > .import-step-sign',
    );
    expect(steps).not.toContain(step);
  });
});
