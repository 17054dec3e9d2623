import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { KARI, visitsWithAnswers } from './answers.ts';
import { entrance } from './offer-board.ts';

const world = await createWorld();
const visit = useBrowser({ fresh: true });
const enter = entrance(world, visit);
const enterWithAnswers = visitsWithAnswers(visit, world.origin);
const TEXT = 'resten lastes når nettet er tilbake';

/** What the page says about the network. */
function said(page: Page): Promise<string[]> {
  return page.getByText(/frakoblet|nettet/).allInnerTexts();
}

describe.skipIf(CHROMIUM === undefined)('a page that was not seen before', () => {
  test('says offline that it will load, and does so when the network is back; one seen before stays', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    const { page, open } = await enter(workspace);
    const follow = (to: string) => page.getByRole('link', { name: to, exact: true }).click();
    await open('/companies');
    await page.getByText(name).waitFor();
    await open('/shortcuts');
    await follow('Selskaper');
    await page.getByText(name).waitFor();
    await page.context().setOffline(true);
    // Neither its code nor its data are here.
    await follow('Tilbud');
    await page.getByRole('heading', { name: 'Tilbud' }).waitFor();
    expect(await said(page)).toEqual([expect.stringContaining(TEXT)]);
    await follow('Selskaper');
    await page.getByText(name).waitFor();
    await follow('Tilbud');
    await page.getByRole('heading', { name: 'Tilbud' }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('Her kommer tilbudene deres').waitFor();
    const style = "getComputedStyle(document.querySelector('.tabs')).display";
    await expect.poll(() => page.evaluate(style)).toBe('flex');

    // Its code is here, its data are not.
    await open('/companies/923609016');
    await follow('Selskaper');
    await page.getByText(name).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name }).click();
    await page.locator('.skeleton-row').first().waitFor();
    expect(await said(page)).toEqual([expect.stringContaining(TEXT)]);
    await page.context().setOffline(false);
    await page.getByRole('heading', { name }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/companies/${orgnr}`);
  });
});

describe.skipIf(CHROMIUM === undefined)('home', () => {
  test('says once that there is no network, whatever it is waiting for', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    const { page, open } = await enter(workspace);
    const held = Promise.withResolvers<void>();
    await page.route(/\/app\/api\/(?:tasks\/rows|activity|offers\/waiting)/, async (route) => {
      await held.promise;
      await route.fallback();
    });
    await open('/');
    await expect.poll(() => page.locator('.skeleton').count()).toBe(3);
    await page.context().setOffline(true);
    await page.getByText('frakoblet').first().waitFor();
    expect(await said(page)).toEqual([expect.stringContaining(TEXT)]);
    expect(await axe(page)).toEqual([]);
    await page.context().setOffline(false);
    held.resolve();
    await page.getByText('Ingenting er forfalt').waitFor();
  });
});

describe.skipIf(CHROMIUM === undefined)('the first page', () => {
  test('says that it loads while it is not known who is signed in, and what failed, with a retry', async () => {
    const { page } = await enterWithAnswers();
    const held = Promise.withResolvers<void>();
    let answer: 'late' | 'lost' | 'refused' | 'known' = 'late';
    await page.route('**/app/api/session', async (route) => {
      if (answer === 'late') await held.promise;
      if (answer === 'lost') await route.abort();
      else if (answer === 'known') await route.fulfill({ json: { data: KARI } });
      else await route.fulfill({ status: 503, json: { error: 'x', code: 'temporarily_unavailable' } });
    });
    await page.goto('/shortcuts');
    await page.getByRole('main').getByRole('status').getByText('Laster').waitFor();
    await page.locator('.skeleton-row').first().waitFor();
    answer = 'refused';
    held.resolve();
    await page.getByText('Tjenesten er utilgjengelig').waitFor();
    expect(await axe(page)).toEqual([]);
    answer = 'lost';
    await page.getByRole('button', { name: 'Prøv igjen' }).click();
    await page.getByText('Får ikke kontakt').waitFor();
    answer = 'known';
    await page.getByRole('button', { name: 'Prøv igjen' }).click();
    await page.getByRole('heading', { name: 'Hurtigtaster' }).waitFor();
  });
});

describe.skipIf(CHROMIUM === undefined)('welcome', () => {
  test('says that there is no network when its first answer has not come, and goes on once there is', async () => {
    const invitation = {
      kind: 'invitation',
      email: 'ola@nordlys.example',
      workspace_name: 'Nordlys Bygg AS',
      first_name: 'Ola',
      last_name: '',
    };
    const answers = { 'GET /welcome/t1': { status: 200, body: { data: invitation } } };
    const { page, open } = await enterWithAnswers({ answers });
    const lost = Promise.withResolvers<void>();
    await page.route(
      '**/app/api/welcome/t1',
      async (route) => {
        await lost.promise;
        await route.abort('internetdisconnected');
      },
      { times: 1 },
    );
    await open('/welcome/t1');
    await page.context().setOffline(true);
    lost.resolve();
    await expect.poll(() => said(page)).toEqual([expect.stringContaining(TEXT)]);
    await page.context().setOffline(false);
    await page.getByLabel('Fornavn').waitFor();
    expect(await said(page)).toEqual([]);
  });
});
