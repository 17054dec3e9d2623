import { describe, expect, test } from 'vitest';
import { axe, focusIn, pressInTurn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { KARI, visitsWithAnswers } from './answers.ts';

const world = await createWorld();
const enter = visitsWithAnswers(useBrowser(), world.origin);

/** The answer with a session of somebody whose profile has this language. */
const profileIn = (language: 'nb' | 'en') => ({
  status: 200,
  body: { data: { ...KARI, user: { ...KARI.user, language } } },
});

describe.skipIf(CHROMIUM === undefined)('the frame', () => {
  test('is used by keyboard: past it to the content, to each page with its title and focus, and by the palette', async () => {
    const { page, open } = await enter();
    await open('/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');

    for (const [keys, heading] of [
      ['g c', 'Selskaper'],
      ['g k', 'Kontakter'],
      ['g t', 'Oppgaver'],
      ['g o', 'Tilbud'],
      ['g s', 'Profil'],
      ['?', 'Hurtigtaster'],
      ['g h', 'Hjem'],
    ] as const) {
      await pressInTurn(page, keys);
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(heading);
      await expect.poll(() => page.title()).toBe(`${heading} · Kundebok`);
    }

    // The palette gives the focus back when it is closed.
    await page.getByRole('link', { name: 'Oppgaver', exact: true }).focus();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('searchbox');
    await focusIn(field);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Oppgaver');

    await page.keyboard.press('Control+k');
    await focusIn(field);
    await page.keyboard.type('medl');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await focusIn(field);
    await page.keyboard.type('medl');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Medlemmer');
    expect(new URL(page.url()).pathname).toBe('/settings/members');
    const settings = page.getByRole('link', { name: 'Innstillinger' });
    expect(await settings.getAttribute('aria-current')).toBe('true');

    await page.keyboard.press('/');
    await page.getByRole('heading', { level: 1, name: 'Søk' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
    await expect.poll(() => page.title()).toBe('Søk · Kundebok');
  });

  test('has around every page nothing that axe objects to, wide and on a phone', async () => {
    const { page, open, go, show } = await enter();
    await open('/nothing');
    for (const screen of ['wide', 'phone'] as const) {
      await show(screen);
      for (const path of ['/', '/shortcuts', '/settings/profile', '/nothing']) {
        await go(path);
        expect([screen, path, await axe(page)]).toEqual([screen, path, []]);
      }
    }
  });

  test('speaks English to a browser that asks for it, and looks dark when told to', async () => {
    const { page, open } = await enter({ locale: 'en-GB' });
    await open('/');
    await expect.poll(() => page.locator('h1').textContent()).toBe('Home');
    await page.getByRole('button', { name: 'Kari Nordmann' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect
      .poll(() => page.evaluate('getComputedStyle(document.documentElement).colorScheme'))
      .toBe('dark');
    expect(await axe(page)).toEqual([]);
  });

  test('speaks the language of the workspace where the browser asks for a third one', async () => {
    const { page, open } = await enter({ locale: 'pl-PL' });
    await open('/');
    await expect.poll(() => page.locator('h1').textContent()).toBe('Hjem');
  });

  test('goes on in the language chosen in the menu by somebody whose profile has another', async () => {
    const answers = { 'GET /session': profileIn('en'), 'PATCH /profile': profileIn('nb') };
    const { page, open, go } = await enter({ answers });
    await open('/shortcuts');
    await expect.poll(() => page.locator('h1').textContent()).toBe('Keyboard shortcuts');
    await page.getByRole('button', { name: 'Kari Nordmann' }).click();
    const saved = page.waitForResponse('**/app/api/profile');
    await page.getByRole('menuitemradio', { name: 'Norsk' }).click();
    await saved;
    await page.keyboard.press('Escape');
    await go('/nothing');
    await go('/shortcuts');
    await expect.poll(() => page.locator('h1').textContent()).toBe('Hurtigtaster');
  });
});
