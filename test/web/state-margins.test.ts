import { describe, expect, test } from 'vitest';
import { CHROMIUM, useBrowser } from '../browser.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('what failed in a part of a page', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('is told in line with what is above it', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { id } = await workspace.offer();
    const { page, open, show } = await enter(workspace);
    await page.route(/timeline|history|activity/, (route) =>
      route.fulfill({ status: 404, json: { error: 'x', code: 'not_found' } }),
    );
    for (const [path, part, above] of [
      [`/companies/${orgnr}`, '.timeline', 'textarea'],
      [`/offers/${id}`, '.offer-history', 'h2'],
      ['/', '.home-section:has(.state)', 'h2'],
    ] as const) {
      await open(path);
      const left = async (selector: string) =>
        (await page.locator(`${part} ${selector}`).first().boundingBox())?.x;
      await page.locator(`${part} .state > p`).first().waitFor();
      for (const screen of ['wide', 'phone'] as const) {
        await show(screen);
        await expect.poll(async () => [path, await left('.state > p')]).toEqual([path, await left(above)]);
      }
      await show('wide');
    }
  });
});
