import { describe, expect, test } from 'vitest';
import { pressInTurn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { messages } from './offer-board.ts';
import { enterAs } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('a part of a page whose code is not here yet', async () => {
  const world = await createWorld();
  const visit = useBrowser({ fresh: true });

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

  test('is asked for again where the network is back before the failure is known', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    const prepare = await enterAs(workspace, world.origin);
    const { page, open } = await visit(world.origin, { prepare });
    const failing = Promise.withResolvers<void>();
    let areFailing = true;
    await open('/companies');
    await page.getByRole('row').nth(1).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Du er frakoblet').waitFor();
    await page.route('**/assets/*.js', async (route) => {
      if (!areFailing) return route.continue();
      await failing.promise;
      await route.abort();
    });
    const asked = page.waitForRequest('**/assets/*.js');
    await page.keyboard.press('Control+k');
    await asked;
    await page.context().setOffline(false);
    await page.getByText('Du er frakoblet').waitFor({ state: 'detached' });
    areFailing = false;
    failing.resolve();
    await page.getByRole('dialog', { name: 'Kommandoer' }).waitFor();
    expect(await messages(page)).not.toContain('Last siden på nytt');
  });

  /** A list in which further code comes once it is let go. */
  async function openHeld() {
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
    return { page, letGo: held.resolve };
  }

  test('keeps the keys that are typed for it from doing anything else', async () => {
    const { page, letGo } = await openHeld();
    const asked = page.waitForRequest('**/assets/*.js');
    await page.keyboard.press('Control+k');
    await asked;
    await page.keyboard.type('no');
    letGo();
    await page.getByRole('dialog', { name: 'Kommandoer' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
  });

  test('and does not come is given up by Escape, after which the keys do what they did', async () => {
    const { page, letGo } = await openHeld();
    const field = page.getByRole('searchbox');
    for (const [key, text] of [
      ['Control+k', 'Berg'],
      ['n', 'Bergen'],
    ] as const) {
      const asked = page.waitForRequest('**/assets/*.js');
      await page.keyboard.press(key);
      await asked;
      await page.keyboard.press('Escape');
      await field.fill('');
      await field.pressSequentially(text);
      expect(await field.inputValue()).toBe(text);
      await page.getByRole('heading', { level: 1 }).focus();
    }
    letGo();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Kommandoer' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
  });

  test('that a newer release no longer has leaves the page and what was typed, and says so', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const prepare = await enterAs(workspace, world.origin);
    const { page, open } = await visit(world.origin, { prepare });
    await open(`/companies/${orgnr}`);
    const field = page.getByRole('textbox', { name: 'Nytt notat' });
    await field.fill('Ringte');
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404 }));
    for (let times = 1; times <= 2; times++) {
      await page.keyboard.press('Control+k');
      await expect.poll(() => messages(page)).toContain('Last siden på nytt');
      await page.keyboard.type('!');
    }
    await world.query('delete from sessions where user_id = $1', [workspace.owner.id]);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Du var logget ut. Logg inn, og prøv igjen.').waitFor();
    expect(await field.inputValue()).toBe('Ringte!!');
    const [loaded] = await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name: 'Last siden' }).click(),
    ]);
    expect(new URL(loaded.url()).pathname).toContain(orgnr);
  });

  test('that a newer release no longer has makes the browser reload', async () => {
    const workspace = await world.workspace();
    const prepare = await enterAs(workspace, world.origin);
    // The router may render once more before the browser reloads, and throws then.
    const tolerated = /^uncaught: Failed to fetch dynamically imported module/;
    const { page, open } = await visit(world.origin, { prepare, tolerated });
    await open('/companies');
    let isGone = true;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isGone = false;
    });
    await page.route('**/assets/*.js', (route) =>
      isGone ? route.fulfill({ status: 404 }) : route.continue(),
    );
    // By keys: a pointer would ask for the code ahead of the visit.
    await pressInTurn(page, 'g o');
    await page.getByText('Her kommer tilbudene deres').waitFor();
    expect(isGone).toBe(false);
  });
});
