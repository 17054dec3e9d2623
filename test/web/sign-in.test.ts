import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createLink } from '../../src/members/links.ts';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { startIdentityProvider } from '../identity-provider.ts';
import { ROOT } from '../service.ts';
import { createDoors, PASSWORD } from './invited.ts';

describe.skipIf(CHROMIUM === undefined)('signing in', async () => {
  const provider = await startIdentityProvider();
  const { world, db, origin, invited } = await createDoors({ singleSignOn: provider.settings });
  const visit = useBrowser({ fresh: true });

  test('an invitation becomes an account, which signs out and in again with its password', async () => {
    const { path, person } = await invited();
    const { page, open } = await visit(origin);
    await open(path);
    expect(await axe(page)).toEqual([]);
    await page.locator('[autocomplete=given-name]').fill('Åse');
    await page.locator('[autocomplete=family-name]').fill('Berg');
    await page.locator('[autocomplete=new-password]').fill(PASSWORD);
    await page.locator('button[type=submit]').first().click();
    await page.waitForURL(`${origin}/`);
    await page.getByText('Åse Berg').first().waitFor();

    await page.context().clearCookies();
    await open('/tasks');
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('E-post').fill(person.email);
    await page.getByLabel('Passord', { exact: true }).fill('feil passord her');
    await page.keyboard.press('Enter');
    await page.getByText('stemmer ikke overens').waitFor();
    await expect.poll(() => page.getByLabel('E-post').inputValue()).toBe(person.email);
    await page.getByLabel('Passord', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/tasks`);
  });

  test('without a network, every way in says so and keeps what was typed', async () => {
    const { path } = await invited();
    const { page, open } = await visit(origin);
    const told = page.getByRole('alert').filter({ hasText: 'Får ikke kontakt med tjenesten' });
    const press = async (name: string | RegExp) => {
      await page.getByRole('button', { name, exact: true }).click();
      await told.waitFor();
      await expect.poll(() => page.getByRole('button', { name, exact: true }).isEnabled()).toBe(true);
    };
    await open('/sign-in');
    await page.getByRole('button', { name: /^Fortsett med/ }).waitFor();
    await page.getByLabel('E-post').fill('kari@example.no');
    await page.getByLabel('Passord', { exact: true }).fill(PASSWORD);
    await page.context().setOffline(true);
    await press('Logg inn');
    expect(await page.getByLabel('E-post').inputValue()).toBe('kari@example.no');
    expect(await page.getByLabel('Passord', { exact: true }).inputValue()).toBe(PASSWORD);
    for (const name of ['Logg inn med passnøkkel', /^Fortsett med/]) {
      await page.context().setOffline(false);
      await open('/sign-in');
      await page.getByRole('button', { name: /^Fortsett med/ }).waitFor();
      await page.context().setOffline(true);
      await press(name);
    }
    expect(await axe(page)).toEqual([]);
    await page.context().setOffline(false);
    // The code for passkeys cannot be loaded either.
    const chunks = JSON.parse(await readFile(`${ROOT}web/dist/manifest.json`, 'utf8'));
    await page.route(`**/${chunks['client/passkeys.ts'].file}`, (route) => route.abort());
    await open('/sign-in');
    await press('Logg inn med passnøkkel');
    await page.unrouteAll();

    await open(path);
    await page.locator('[autocomplete=given-name]').fill('Åse');
    await page.locator('[autocomplete=family-name]').fill('Berg');
    await page.locator('[autocomplete=new-password]').fill(PASSWORD);
    await page.context().setOffline(true);
    await press('Opprett konto');
    expect(await page.locator('[autocomplete=given-name]').inputValue()).toBe('Åse');
    expect(await page.locator('[autocomplete=new-password]').inputValue()).toBe(PASSWORD);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Opprett konto' }).click();
    await page.waitForURL(`${origin}/`);
  });

  test('an account at the identity provider is linked by an invitation, and signs in from then on', async () => {
    const { path } = await invited();
    provider.setNext({ sub: `s${Date.now()}`, given_name: 'Kari' });
    const { page, open } = await visit(origin);
    await open(path);
    await page.getByRole('button', { name: /^Fortsett med/ }).click();
    await page.waitForURL(`${origin}/`);
    await page.context().clearCookies();
    await open('/sign-in?next=/offers');
    await page.getByRole('button', { name: /^Fortsett med/ }).click();
    await page.waitForURL(`${origin}/offers`);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Tilbud');
    await page.context().clearCookies();
    provider.setNext({ sub: 'nobody here' });
    await open('/sign-in');
    await page.getByRole('button', { name: /^Fortsett med/ }).click();
    await page.getByText('Ingen bruker er knyttet til denne kontoen.').waitFor();
  });

  test('somebody who has an account, and no workspace any more, enters by the invitation they sign in with', async () => {
    const { workspace, person, path } = await invited();
    const names = { first_name: 'Åse', last_name: 'Berg', password: PASSWORD };
    await expect.poll(async () => (await world.browser().post(path, names)).status).toBe(200);
    await world.query('update memberships set joined_at = null where user_id = $1', [person.id]);
    const again = await createLink(db, {
      kind: 'invitation',
      user_id: person.id,
      workspace: workspace.id,
    });
    const { page, open } = await visit(origin);
    await open(again.path);
    await page.getByRole('link', { name: 'Til innlogging' }).click();
    await page.getByLabel('E-post').fill(person.email);
    await page.getByLabel('Passord', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/`);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Hjem');
  });

  test('somebody whose only account is at the provider enters again by a new invitation', async () => {
    const { workspace, person, path } = await invited();
    provider.setNext({ sub: `again ${Date.now()}`, given_name: 'Kari' });
    const { page, open } = await visit(origin);
    await open(path);
    await page.getByRole('button', { name: /^Fortsett med/ }).click();
    await page.waitForURL(`${origin}/`);
    await page.context().clearCookies();
    await world.query('update memberships set joined_at = null where user_id = $1', [person.id]);
    const again = { kind: 'invitation', user_id: person.id, workspace: workspace.id } as const;
    await open((await createLink(db, again)).path);
    await page.getByRole('link', { name: 'Til innlogging' }).click();
    await page.getByRole('button', { name: /^Fortsett med/ }).click();
    await page.waitForURL(`${origin}/`);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Hjem');
  });

  test('somebody who is signed in is led back to the profile when linking an account fails', async () => {
    const { path } = await invited();
    provider.setNext({ sub: `taken ${Date.now()}` });
    const { page, open } = await visit(origin);
    await open(path);
    await page.getByRole('button', { name: /^Fortsett med/ }).click();
    await page.waitForURL(`${origin}/`);
    const { workspace, person } = await invited();
    const value = await workspace.sessionOf(person);
    await page.context().addCookies([{ name: 'kundebok_session', value, url: origin }]);
    await open('/settings/profile');
    await page.getByRole('button', { name: /^Knytt til/ }).click();
    await page.getByText('Denne kontoen er allerede knyttet til en annen bruker.').waitFor();
    await page.getByRole('heading', { name: 'Kontoen ble ikke knyttet til profilen' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('link', { name: 'Tilbake til profilen' }).click();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Profil');
  });
});
