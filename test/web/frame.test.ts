import { describe, expect, test } from 'vitest';
import { axe, CHROMIUM, useBrowser, type Screen } from '../browser.ts';
import { createWorld } from '../world.ts';
import { answerCalls, KARI } from './answers.ts';

const world = await createWorld();
const visit = useBrowser();

const SIGNED_IN = { 'GET /session': { status: 200, body: { data: KARI } } };

async function enter(
  options: { screen?: Screen; locale?: string; answers?: Parameters<typeof answerCalls>[1] } = {},
) {
  const { answers = SIGNED_IN, ...rest } = options;
  return visit(world.origin, { ...rest, prepare: (page) => answerCalls(page, answers) });
}

describe.skipIf(CHROMIUM === undefined)('the frame', () => {
  test.each(['wide', 'phone'] as const)('has nothing that axe objects to, %s', async (screen) => {
    const { page, open } = await enter({ screen });
    for (const path of ['/', '/shortcuts', '/settings/profile', '/nothing']) {
      await open(path);
      expect(await axe(page)).toEqual([]);
    }
  });

  test('goes by keys, and says where by title and focus', async () => {
    const { page, open } = await enter();
    await open('/');
    for (const [keys, heading] of [
      ['g c', 'Selskaper'],
      ['g k', 'Kontakter'],
      ['g t', 'Oppgaver'],
      ['g o', 'Tilbud'],
      ['g s', 'Profil'],
      ['/', 'Søk'],
      ['?', 'Hurtigtaster'],
      ['g h', 'Hjem'],
    ] as const) {
      for (const key of keys.split(' ')) await page.keyboard.press(key);
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(heading);
      expect(await page.title()).toBe(`${heading} · Kundebok`);
    }
  });

  test('finds a place in the palette, and gives the focus back when it is closed', async () => {
    const { page, open } = await enter();
    await open('/');
    await page.getByRole('link', { name: 'Oppgaver' }).focus();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('searchbox');
    await field.waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Oppgaver');

    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('medl');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Medlemmer');
    expect(new URL(page.url()).pathname).toBe('/settings/members');
  });

  test('skips to the content by the first key', async () => {
    const { page, open } = await enter();
    await open('/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
  });

  test('speaks English to a browser that asks for it, and looks dark when told to', async () => {
    const { page, open } = await enter({ locale: 'en-GB' });
    await open('/');
    expect(await page.locator('h1').textContent()).toBe('Home');
    await page.getByRole('button', { name: 'Kari Nordmann' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    expect(await axe(page)).toEqual([]);
  });

  test('says when there is no network', async () => {
    const { page, open } = await enter();
    await open('/');
    await page.context().setOffline(true);
    await page.getByText('Du er frakoblet').waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => page.getByText('Du er frakoblet').count()).toBe(0);
  });

  test('leads to sign in, and back to where one was going', async () => {
    const answers: Record<string, { status: number; body?: unknown }> = {
      'GET /session': { status: 401, body: { error: 'Sign in', code: 'unauthorized' } },
      'GET /sign-in/methods': { status: 200, body: { data: { sso: false, sso_name: null } } },
      'POST /sign-in': { status: 401, body: { error: 'No match', code: 'unauthorized' } },
    };
    const { page, open } = await enter({ answers });
    await open('/companies?status=lead');
    expect(new URL(page.url()).search).toBe('?next=%2Fcompanies%3Fstatus%3Dlead');
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('E-post').fill('kari@nordlys.example');
    await page.getByLabel('Passord').fill('not this one');
    await page.keyboard.press('Enter');
    await page.getByText('stemmer ikke overens').waitFor();
    expect(await page.getByLabel('E-post').inputValue()).toBe('kari@nordlys.example');

    answers['POST /sign-in'] = { status: 200, body: { data: KARI } };
    await page.getByRole('button', { name: 'Logg inn' }).click();
    await page.getByRole('heading', { name: 'Selskaper' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=lead');
  });

  test('welcomes somebody with fields that browsers know', async () => {
    const invitation = {
      kind: 'invitation',
      email: 'ola@nordlys.example',
      workspace_name: 'Nordlys Bygg AS',
      first_name: '',
      last_name: '',
    };
    const answers = {
      'GET /welcome/t1': { status: 200, body: { data: invitation } },
      'POST /welcome/t1': { status: 200, body: { data: KARI } },
    };
    const { page, open } = await enter({ answers });
    await open('/welcome/t1');
    await page.locator('[autocomplete=given-name]').fill('Ola');
    await page.locator('[autocomplete=family-name]').fill('Nordmann');
    await page.locator('[autocomplete=new-password]').fill('a sentence to remember');
    expect(await axe(page)).toEqual([]);
    await page.locator('[type=submit]').first().click();
    await page.getByRole('heading', { name: 'Hjem' }).waitFor();
  });
});

test('an address of the application is its page with a policy of its own; another is not found', async () => {
  const ask = async (path: string, accept = 'text/html') =>
    fetch(world.origin + path, { headers: { accept } });
  const [one, other] = [await ask('/companies/923609016'), await ask('/')];
  expect([one.status, other.status]).toEqual([200, 200]);
  const policies = [one, other].map((answer) => answer.headers.get('content-security-policy')!);
  expect(policies[0]).toMatch(/script-src 'nonce-[\w+/=]{24}' 'strict-dynamic';/);
  expect(policies[0]).not.toMatch(/unsafe/);
  expect(policies[0]).not.toBe(policies[1]);
  const nonce = /nonce-([^']+)/.exec(policies[0]!)![1]!;
  const html = await one.text();
  expect([...html.matchAll(/<script[^>]*>/g)].every(([tag]) => tag.includes(`nonce="${nonce}"`))).toBe(true);

  const unknown = await ask('/nothing');
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  for (const answer of [
    await ask('/nothing', 'application/json'),
    await ask('/api/nothing'),
    await ask('/app/api/nothing'),
    await ask('/docs/nothing'),
  ]) {
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
  }

  const [, script] = /src="(\/assets\/[^"]+)"/.exec(html)!;
  const file = await fetch(world.origin + script!, { headers: { 'accept-encoding': 'br' } });
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(file.headers.get('content-encoding')).toBe('br');
});
