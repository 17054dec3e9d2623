import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter as enterIn } from './enter.ts';
import { messages } from './offer-board.ts';

/** From now on changes wait until they are let go, and fail then. */
async function failChanges(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route('**/app/api/**', async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    await held.promise;
    return route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } });
  });
  return held.resolve;
}

describe.skipIf(CHROMIUM === undefined)('a change that fails', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  test('is told to somebody who has gone on to another page', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open, go } = await enter(workspace);
    await open(`/companies/${orgnr}`);
    const fail = await failChanges(page);
    const asked = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: /^Status/ }).click();
    await page.getByRole('menuitemradio', { name: 'Kunde', exact: true }).click();
    await asked;
    await go('/tasks');
    fail();
    await expect.poll(() => messages(page)).toContain('Tjenesten er utilgjengelig');
  });

  test('is reported when it was to undo another: of an offer, and of many companies', async () => {
    const workspace = await world.workspace();
    const { name } = await workspace.company();
    const { id } = await workspace.offer();
    const { page, open, go } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Status' }).click();
    await page.getByRole('button', { name: /Status/ }).click();
    await page.getByRole('option', { name: 'Akseptert' }).click();
    const undo = page.getByRole('button', { name: 'Angre' });
    await undo.waitFor();
    (await failChanges(page))();
    await undo.click();
    await expect.poll(() => messages(page)).toContain('Tjenesten er utilgjengelig');
    await page.unroute('**/app/api/**');
    await page.locator('.toast').getByRole('button', { name: 'Lukk' }).click();

    await go('/companies');
    await page.getByRole('row', { name }).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Arkiver' }).click();
    await page.getByText('1 selskap er endret').waitFor();
    (await failChanges(page))();
    await undo.click();
    await expect.poll(() => messages(page)).toContain('1 er kanskje endret');
  });
});
