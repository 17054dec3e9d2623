import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('behind a proxy that gives requests its own ids', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('a write of this page is known again when the changes name it, so undo stays', async () => {
    const workspace = await world.workspace();
    await workspace.task({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    await page.route('**/app/api/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-request-id': 'edge:eu-1/4711=' } }),
    );
    let timesAsked = 0;
    page.on('request', (request) => {
      if (/\/changes\?.*wait=25/.test(request.url())) timesAsked += 1;
    });
    await open('/tasks');
    await expect.poll(() => timesAsked).toBe(1);
    await page.getByRole('checkbox', { name: 'Fullfør Ring' }).click();
    await page.getByText('Fullført: Ring').waitFor();
    // The page asks for the next changes once it has dealt with its own.
    await expect.poll(() => timesAsked).toBe(2);
    expect(await page.getByRole('button', { name: 'Angre' }).count()).toBe(1);
  });
});
