import { describe, expect, test } from 'vitest';
import { CHROMIUM, useBrowser } from '../browser.ts';
import { createWorld } from '../world.ts';
import { enterAs } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('a part of a page whose code is not here yet', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('waits for the network, and the page stays as it is', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    const prepare = await enterAs(workspace, world.origin);
    const { page, open } = await visit(world.origin, { prepare });
    await open('/companies');
    await page.getByRole('row').nth(1).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Du er frakoblet').waitFor();
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('.js'));
    await page.keyboard.press('Control+k');
    await failed;
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Selskaper');
    await page.context().setOffline(false);
    await page.getByRole('dialog', { name: 'Kommandoer' }).waitFor();
  });

  test('keeps the keys that are typed for it from doing anything else', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    const prepare = await enterAs(workspace, world.origin);
    const { page, open } = await visit(world.origin, { prepare });
    const held = Promise.withResolvers<void>();
    await open('/companies');
    await page.getByRole('row').nth(1).waitFor();
    await page.route('**/assets/*.js', async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest('**/assets/*.js');
    await page.keyboard.press('Control+k');
    await asked;
    await page.keyboard.type('no');
    held.resolve();
    await page.getByRole('dialog', { name: 'Kommandoer' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
  });
});
