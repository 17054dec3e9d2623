import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { KARI, visitsWithAnswers } from './answers.ts';
import { enter as enterIn } from './enter.ts';

const ID = '01890000-0000-7000-8000-000000000001';

/** Every page that asks for something; `/shortcuts`, `/developers` and `/settings/workspace` ask for nothing. */
const PAGES = [
  '/',
  '/companies',
  '/companies/923609016',
  '/contacts',
  `/contacts/${ID}`,
  '/tasks',
  '/offers',
  '/offers?tab=list',
  '/offers?tab=sums',
  `/offers/${ID}`,
  '/search?q=kari',
  '/settings/keys',
  '/settings/members',
  '/settings/profile',
  '/settings/history',
  '/import',
];

const world = await createWorld();
const visit = useBrowser();
const enter = visitsWithAnswers(visit, world.origin);

describe.skipIf(CHROMIUM === undefined)('a page', () => {
  test('that cannot be loaded, or is not allowed, says so, with the id of the request and a retry', async () => {
    const { page, open, go } = await enter();
    const failed = {
      status: 429,
      text: 'For mange forespørsler',
      body: { error: 'x', code: 'rate_limited' },
    };
    const refused = { status: 403, text: 'En eier kan endre den', body: { error: 'x', code: 'forbidden' } };
    let now = failed;
    await page.route('**/app/api/**', async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/app/api', '');
      if (path === '/session' || path === '/changes') return route.fallback();
      await route.fulfill({ status: now.status, json: now.body, headers: { 'x-request-id': 'r-1' } });
    });
    await open('/developers');
    for (const path of PAGES) {
      now = failed;
      await go('/shortcuts');
      await go(path);
      const said = page.getByRole('alert').filter({ hasText: failed.text }).first();
      await said.waitFor();
      await said.getByText('Forespørsels-ID r-1').waitFor();
      await said.getByRole('button', { name: 'Prøv igjen' }).focus();
      now = refused;
      // Enter presses the button that has the focus: a page that asks by itself, too, may have the other answer by now.
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: refused.text }).first().waitFor();
      await expect.poll(async () => [path, await page.locator('.skeleton').count()]).toEqual([path, 0]);
    }
  });

  test('of somebody whose session ended is covered, and still has what was typed after signing in', async () => {
    const answers: Record<string, { status: number; body?: unknown }> = {
      'GET /session': { status: 200, body: { data: KARI } },
      'GET /sign-in/methods': { status: 200, body: { data: { sso: false, sso_name: null } } },
      'PATCH /profile': { status: 401, body: { error: 'Sign in', code: 'unauthorized' } },
      'POST /sign-in': { status: 200, body: { data: KARI } },
    };
    const { page, open } = await enter({ answers });
    await open('/settings/profile');
    const name = page.getByLabel('Fornavn');
    await name.fill('Karianne');
    answers['GET /session'] = answers['PATCH /profile']!;
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Du er logget ut' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const dialog = page.getByRole('dialog');
    const password = dialog.getByLabel('Passord', { exact: true });
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('password');
    await expect.poll(() => dialog.getByLabel('E-post').inputValue()).toBe(KARI.user.email);
    answers['PATCH /profile'] = {
      status: 200,
      body: { data: { ...KARI, user: { ...KARI.user, first_name: 'Karianne' } } },
    };
    await password.fill('a sentence to remember');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Du er logget ut' }).waitFor({ state: 'detached' });
    await expect.poll(() => name.inputValue()).toBe('Karianne');
    await name.press('Enter');
    await page.getByText('Karianne Nordmann').first().waitFor();
  });
});

describe.skipIf(CHROMIUM === undefined)('what failed in a part of a page', () => {
  test('is shown in line with what is above it', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { id } = await workspace.offer();
    const { page, open, go, show } = await enterIn({ world, visit }, workspace);
    await page.route(/timeline|history|activity/, (route) =>
      route.fulfill({ status: 404, json: { error: 'x', code: 'not_found' } }),
    );
    await open('/shortcuts');
    for (const [path, part, above] of [
      [`/companies/${orgnr}`, '.timeline', 'textarea'],
      [`/offers/${id}`, '.offer-history', 'h2'],
      ['/', '.home-section:has(.state)', 'h2'],
    ] as const) {
      await go(path);
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
