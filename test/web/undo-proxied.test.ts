import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('behind a proxy that gives requests its own ids', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('what it compresses, whose ETags are weak then, is changed and erased all the same', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const contact = await workspace.contact({ name: 'Kari' });
    const { page, open, go } = await enter(workspace);
    await page.route('**/app/api/**', async (route) => {
      if (route.request().url().includes('wait=25')) return route.fallback();
      const response = await route.fetch();
      const { etag, ...headers } = response.headers();
      return route.fulfill({
        response,
        headers: etag === undefined ? headers : { ...headers, etag: `W/${etag}` },
      });
    });
    await open(`/companies/${company.orgnr}`);
    await page.getByRole('button', { name: 'Rediger Telefon' }).click();
    await page.getByRole('textbox', { name: 'Telefon' }).fill('22 00 00 00');
    await page.keyboard.press('Enter');
    const phone = async () =>
      (await workspace.client.get(`/companies/${company.orgnr}`)).body.data.phone_number;
    await expect.poll(phone).toBe('22 00 00 00');
    await go(`/contacts/${contact.id}`);
    await page.getByRole('button', { name: 'Flere valg' }).click();
    await page.getByRole('menuitem', { name: 'Slett for godt' }).click();
    await page.getByRole('button', { name: 'Slett Kari for godt' }).click();
    const status = async () => (await workspace.client.get(`/contacts/${contact.id}`)).status;
    await expect.poll(status).toBe(404);
  });

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
