import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

/** The placeholders of search fields that do not fit in their field. */
const CUT = `[...document.querySelectorAll('input[type=search]')].filter((field) => {
  field.value = field.placeholder;
  const isCut = field.scrollWidth > field.clientWidth;
  field.value = '';
  return isCut;
}).map((field) => field.placeholder)`;

describe.skipIf(CHROMIUM === undefined)('search and filters', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test.each(['nb', 'en'] as const)('say on a phone, in %s, what is searched', async (language) => {
    const workspace = await world.workspace();
    await workspace.company();
    const { page, open, go } = await enter({ world, visit }, workspace, { language, screen: 'phone' });
    await open('/search');
    for (const path of ['/search', '/companies', '/contacts']) {
      if (path !== '/search') await go(path);
      await page.locator('.page input[type=search]').waitFor();
      expect.soft(await page.evaluate(CUT)).toEqual([]);
    }
  });

  test('keep the count in their line when one is chosen, and show on a phone which', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await workspace.deleteCompany(orgnr);
    const { page, open, reload, show } = await enter({ world, visit }, workspace);
    await open('/companies?deleted=true');
    const count = page.locator('.toolbar-count');
    await expect.poll(() => count.innerText()).toMatch(/^1\b/);
    const middle = async (place: typeof count) => {
      const { y, height } = (await place.boundingBox())!;
      return Math.round(y + height / 2);
    };
    expect(await middle(count)).toBeCloseTo(await middle(page.getByRole('searchbox').last()), -1);

    await show('phone');
    await reload();
    const chosen = page.getByRole('button', { name: 'Slettede: Bare slettede' });
    await expect
      .poll(async () => {
        const { x, width } = (await chosen.boundingBox())!;
        return x >= 0 && x + width <= 390;
      })
      .toBe(true);
  });

  test('of the list of offers leave its views whole on a window between a phone and a desk', async () => {
    const { page, open } = await enter({ world, visit }, await world.workspace());
    await open('/offers?tab=list');
    const views = page.getByRole('navigation', { name: 'Visninger' });
    for (const width of [720, 1000]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await views.evaluate((tabs) => tabs.scrollWidth - tabs.clientWidth)).toBe(0);
    }
  });
});
