import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { KARI, visitsWithAnswers } from './answers.ts';

const world = await createWorld();
const enter = visitsWithAnswers(useBrowser(), world.origin);
// A clock that was set cannot be set back.
const enterOnce = visitsWithAnswers(useBrowser({ fresh: true }), world.origin);

describe.skipIf(CHROMIUM === undefined)('the ways in', () => {
  test('lead to sign in, and back to where one was going', async () => {
    const answers: Record<string, { status: number; body?: unknown }> = {
      'GET /session': { status: 401, body: { error: 'Sign in', code: 'unauthorized' } },
      'GET /sign-in/methods': { status: 200, body: { data: { sso: false, sso_name: null } } },
      'POST /sign-in': { status: 401, body: { error: 'No match', code: 'sign_in_failed' } },
    };
    const { page, open } = await enter({ answers });
    await open('/companies?status=lead');
    expect(new URL(page.url()).search).toBe('?next=%2Fcompanies%3Fstatus%3Dlead');
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('E-post').fill('kari@nordlys.example');
    await page.getByLabel('Passord').fill('not this one');
    await page.keyboard.press('Enter');
    await page.getByText('stemmer ikke overens').waitFor();
    await expect.poll(() => page.getByLabel('E-post').inputValue()).toBe('kari@nordlys.example');

    answers['POST /sign-in'] = { status: 403, body: { error: 'No workspace', code: 'no_workspace' } };
    await page.getByRole('button', { name: 'Logg inn', exact: true }).click();
    await page.getByText('Du er ikke med i noe arbeidsområde.').waitFor();
    await expect.poll(() => page.getByText('stemmer ikke overens').count()).toBe(0);

    answers['POST /sign-in'] = { status: 200, body: { data: KARI } };
    await page.getByRole('button', { name: 'Logg inn', exact: true }).click();
    await page.getByRole('heading', { name: 'Selskaper' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=lead');
  });

  test('welcome somebody with fields that browsers know', async () => {
    const invitation = {
      kind: 'invitation',
      email: 'owner@localhost',
      workspace_name: 'Nordlys Bygg AS',
      first_name: 'First',
      last_name: 'Owner',
    };
    const answers = {
      'GET /welcome/t1': { status: 200, body: { data: invitation } },
      'POST /welcome/t1': { status: 200, body: { data: KARI } },
    };
    const { page, open } = await enter({ answers });
    await open('/welcome/t1');
    // The placeholder of the first owner is not shown as a name.
    for (const name of ['first_name', 'last_name', 'email', 'password']) {
      expect(await page.locator(`[name=${name}]`).inputValue()).toBe('');
    }
    await page.locator('[type=submit]').first().click();
    await page.getByText('Fyll ut dette feltet.').first().waitFor();
    await page.locator('[autocomplete=given-name]').fill('Ola');
    await page.locator('[autocomplete=family-name]').fill('Nordmann');
    await page.locator('[autocomplete=new-password]').fill('a sentence to remember');
    expect(await axe(page)).toEqual([]);
    await page.locator('[type=submit]').first().click();
    await page.getByRole('heading', { name: 'Hjem' }).waitFor();
  });

  test('keep what was typed into a welcome that cannot be read again', async () => {
    const invitation = {
      kind: 'invitation',
      email: 'kari@nordlys.example',
      workspace_name: 'Nordlys Bygg AS',
      first_name: 'Kari',
      last_name: '',
    };
    const answers: Record<string, { status: number; body?: unknown }> = {
      'GET /welcome/t1': { status: 200, body: { data: invitation } },
    };
    const { page, open } = await enterOnce({ answers });
    await page.clock.install({ time: Date.now() });
    await open('/welcome/t1');
    await page.locator('[name=password]').fill('a sentence to remember');
    answers['GET /welcome/t1'] = { status: 403, body: { error: 'No', code: 'forbidden' } };
    await page.clock.fastForward(90_000);
    const asked = page.waitForResponse('**/welcome/t1');
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await asked;
    await page.clock.fastForward(1_000);
    expect(await axe(page)).toEqual([]);
    expect(await page.locator('[name=password]').inputValue()).toBe('a sentence to remember');
  });

  test('say in Norwegian that an invitation was accepted in another tab', async () => {
    const invitation = {
      kind: 'invitation',
      // As the person who invites spells it.
      email: KARI.user.email.toUpperCase(),
      workspace_name: 'Nordlys Bygg AS',
      first_name: 'Kari',
      last_name: 'Nordmann',
      needs_sign_in: true,
    };
    const answers = {
      'GET /session': { status: 200, body: { data: KARI } },
      'GET /welcome/t1': { status: 200, body: { data: invitation } },
      'POST /welcome/t1': { status: 410, body: { error: 'The link was used', code: 'link_used' } },
    };
    const { page, open } = await enter({ answers });
    await open('/welcome/t1');
    await page.getByRole('button', { name: 'Bli med' }).click();
    await page.getByRole('heading', { name: 'Lenken virker ikke lenger' }).waitFor();
    await page.getByText('Har du brukt den selv, kan du logge inn.').waitFor();
    expect(await axe(page)).toEqual([]);
  });
});
