import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance, messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('a file that is not sent', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('says why: two under way, too many requests, a service that is down, a proxy, a session that has ended', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    const { page, open } = await enter(workspace);
    await open('/companies');
    const save = async () => {
      await page.getByRole('button', { name: 'Flere valg' }).first().click();
      await page.getByRole('menuitem', { name: 'Eksporter som CSV' }).click();
    };
    const list = '**/app/api/companies.csv?*';
    for (const [headers, said] of [
      [{}, 'For mange forespørsler'],
      [{ 'x-request-id': 'one' }, 'Du laster allerede ned to filer'],
      [{ 'x-request-id': 'two', ratelimit: '"key";r=0;t=3' }, 'For mange forespørsler'],
      [{ 'x-request-id': 'three', ratelimit: '"key";r=10;t=3' }, 'Du laster allerede ned to filer'],
    ] as const) {
      await page.route(list, (route) => route.fulfill({ status: 429, headers }));
      await save();
      await expect.poll(() => page.locator('.toast').last().textContent()).toContain(said);
      await page.unroute(list);
    }
    await page.route(list, (route) => route.fulfill({ contentType: 'text/html', body: 'Vedlikehold' }));
    await save();
    await expect.poll(() => messages(page)).toContain('Får ikke kontakt');

    // What waits for changes would hear first that nobody is signed in.
    await page.route(/\/changes\?.*wait=[1-9]/, () => undefined);
    await open('/settings/history');
    await page.route('**/app/api/history/export?*', (route) => route.fulfill({ status: 503 }), { times: 1 });
    const history = page.getByRole('link', { name: 'Last ned CSV' });
    await history.click();
    await expect.poll(() => messages(page)).toContain('Tjenesten er utilgjengelig');
    const downloading = page.waitForEvent('download');
    await history.press('Enter');
    expect((await downloading).suggestedFilename()).toBe('kundebok-history.csv');
    await world.query('delete from sessions where user_id = $1', [workspace.owner.id]);
    await history.click();
    await page.getByRole('dialog', { name: 'Du er logget ut' }).waitFor();
  });
});
