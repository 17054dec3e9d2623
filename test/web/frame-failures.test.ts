import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { KARI, visitsWithAnswers } from './answers.ts';

const world = await createWorld();
const enter = visitsWithAnswers(useBrowser(), world.origin);

describe.skipIf(CHROMIUM === undefined)('the frame', () => {
  test('says why signing out or going to another workspace failed', async () => {
    const workspaces = [...KARI.workspaces, { id: 'w2', name: 'Andre AS', role: 'member' }];
    const down = { status: 503, body: { error: 'Down', code: 'temporarily_unavailable' } };
    const answers = {
      'GET /session': { status: 200, body: { data: { ...KARI, workspaces } } },
      'POST /sign-out': down,
      'POST /session/workspace': down,
    };
    const { page, open } = await enter({ answers });
    const told = page.getByRole('status').getByText('Tjenesten er utilgjengelig et øyeblikk.');
    for (const item of [
      page.getByRole('menuitem', { name: 'Logg ut' }),
      page.getByRole('menuitemradio', { name: 'Andre AS' }),
    ]) {
      await open('/shortcuts');
      await page.getByRole('button', { name: 'Kari Nordmann' }).click();
      await item.click();
      await expect.poll(() => told.count()).toBe(1);
    }
  });

  test('moves nothing for somebody who wants less motion, and says when there is no network', async () => {
    const { page, open, go } = await enter();
    const moving = `[...document.querySelectorAll('*')].filter((element) => {
      const { animationName, transitionProperty, transitionDuration } = getComputedStyle(element);
      return animationName !== 'none' || (transitionProperty !== 'none' && /[1-9]/.test(transitionDuration));
    }).length`;
    await open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').waitFor();
    expect(await page.evaluate(moving)).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await page.evaluate(moving)).toBe(0);

    await page.keyboard.press('Escape');
    // A page that loads nothing more once it is there.
    await go('/shortcuts');
    await page.context().setOffline(true);
    await page.getByText('Du er frakoblet').waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => page.getByText('Du er frakoblet').count()).toBe(0);
  });
});
