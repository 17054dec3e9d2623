import { chromium } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enterAs } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('a browser whose text is twice as large', async () => {
  const world = await createWorld();

  test('has a page in proportion: rows and columns hold their text, a narrow window is a phone', async () => {
    const workspace = await world.workspace();
    for (let count = 0; count < 3; count++) await workspace.company();
    const args = ['--no-sandbox', '--blink-settings=defaultFontSize=32'];
    const browser = await chromium.launch({ executablePath: CHROMIUM!, args });
    onTestFinished(() => browser.close());
    const page = await browser.newPage({
      baseURL: world.origin,
      locale: 'nb-NO',
      viewport: { width: 2560, height: 1600 },
    });
    await (
      await enterAs(workspace, world.origin)
    )(page);
    await page.goto('/companies');
    const rows = page.locator('.table-body [role=row]');
    await expect.poll(() => rows.count()).toBe(3);
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.table-cell:not(.table-check)')].filter((cell) => cell.scrollWidth > cell.clientWidth)
        .map((cell) => cell.textContent)`,
    );
    expect(cut).toEqual([]);
    const [one, two] = [await rows.nth(0).boundingBox(), await rows.nth(1).boundingBox()];
    expect(one).toMatchObject({ height: 72 });
    expect(two!.y - one!.y).toBe(72);

    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('.table[data-phone]').waitFor();
  });
});
