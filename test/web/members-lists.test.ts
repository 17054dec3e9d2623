import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

describe.skipIf(CHROMIUM === undefined)('lists of members', () => {
  test('of more than a page are asked for with a pause where the next page fails', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    let isDown = true;
    const asked = { first: 0, next: 0 };
    await page.route(/\/app\/api\/members\?/, async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '1');
      const isFirst = url.searchParams.get('cursor') === '';
      asked[isFirst ? 'first' : 'next'] += 1;
      if (!isFirst && isDown) {
        await route.fulfill({ status: 429, json: { error: 'Slow down', code: 'rate_limited' } });
      } else await route.continue({ url: url.href });
    });
    await open('/settings/members');
    await page.getByText('For mange forespørsler').waitFor();
    expect(await axe(page)).toEqual([]);
    await expect.poll(() => asked.first).toBeGreaterThan(2);
    expect(asked.next).toBeLessThanOrEqual(asked.first);
    isDown = false;
    await page.getByText(workspace.owner.email).waitFor();
    await page.getByText(workspace.member.email).waitFor();
  });

  test('a member who is removed or has another name is so at once where people are chosen', async () => {
    const workspace = await world.workspace();
    const { page, open, go } = await enter(browsers, workspace);
    /** Checks who can be chosen in the filter of companies. */
    const expectToBeChosenFrom = async (names: string[]) => {
      await go('/companies');
      await page.getByRole('button', { name: 'Ansvarlig' }).first().click();
      const people = page.getByRole('menuitemradio', { name: /^(?:Ola|Kari) / });
      await expect.poll(() => people.allTextContents()).toEqual(names);
      await focusIn(page.getByRole('menu'));
      await page.keyboard.press('Escape');
    };
    await open('/');
    await expectToBeChosenFrom(['Kari Nordmann', 'Ola Nordmann']);
    await go('/settings/members');
    await page.getByRole('button', { name: 'Valg for Kari Nordmann' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Fjern …' }).press('Enter');
    await page.getByRole('button', { name: 'Fjern Kari Nordmann' }).press('Enter');
    await page.getByText('Kari Nordmann er fjernet').waitFor();
    await expectToBeChosenFrom(['Ola Nordmann']);
    await go('/settings/profile');
    await page.getByLabel('Etternavn').fill('Berg');
    await page.getByRole('button', { name: 'Lagre' }).click();
    await page.getByText('Profilen er lagret').waitFor();
    await expectToBeChosenFrom(['Ola Berg']);
  });
});
