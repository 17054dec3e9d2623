import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/db/connect.ts';
import { createLink } from '../../src/members/links.ts';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { startIdentityProvider } from '../identity-provider.ts';
import { ROOT } from '../service.ts';
import { createWorld } from '../world.ts';
import { focused } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('signing in', async () => {
  const provider = await startIdentityProvider();
  const world = await createWorld({ singleSignOn: provider.settings });
  const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
  afterAll(() => db.close());
  const visit = useBrowser({ fresh: true });
  const password = 'riktig hest batteri';

  async function invited() {
    const workspace = await world.workspace();
    const person = await workspace.addMember();
    const { path } = await createLink(db, {
      kind: 'invitation',
      user_id: person.id,
      workspace: workspace.id,
    });
    return { workspace, person, path };
  }

  // Passkeys need a name: browsers make none for an address.
  const origin = world.origin.replace('127.0.0.1', 'localhost');

  test('an invitation becomes an account, which signs out and in again with its password', async () => {
    const { path, person } = await invited();
    const { page, open } = await visit(origin);
    await open(path);
    expect(await axe(page)).toEqual([]);
    await page.locator('[autocomplete=given-name]').fill('Åse');
    await page.locator('[autocomplete=family-name]').fill('Berg');
    await page.locator('[autocomplete=new-password]').fill(password);
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
    await page.getByLabel('Passord', { exact: true }).fill(password);
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
    await page.getByLabel('Passord', { exact: true }).fill(password);
    await page.context().setOffline(true);
    await press('Logg inn');
    expect(await page.getByLabel('E-post').inputValue()).toBe('kari@example.no');
    expect(await page.getByLabel('Passord', { exact: true }).inputValue()).toBe(password);
    for (const name of ['Logg inn med passnøkkel', /^Fortsett med/]) {
      await page.context().setOffline(false);
      await open('/sign-in');
      await page.getByRole('button', { name: /^Fortsett med/ }).waitFor();
      await page.context().setOffline(true);
      await press(name);
    }
    expect(await axe(page)).toEqual([]);
    await page.context().setOffline(false);
    // Nor is there the code for it.
    const chunks = JSON.parse(await readFile(`${ROOT}web/dist/manifest.json`, 'utf8'));
    await page.route(`**/${chunks['client/passkeys.ts'].file}`, (route) => route.abort());
    await open('/sign-in');
    await press('Logg inn med passnøkkel');
    await page.unrouteAll();

    await open(path);
    await page.locator('[autocomplete=given-name]').fill('Åse');
    await page.locator('[autocomplete=family-name]').fill('Berg');
    await page.locator('[autocomplete=new-password]').fill(password);
    await page.context().setOffline(true);
    await press('Opprett konto');
    expect(await page.locator('[autocomplete=given-name]').inputValue()).toBe('Åse');
    expect(await page.locator('[autocomplete=new-password]').inputValue()).toBe(password);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Opprett konto' }).click();
    await page.waitForURL(`${origin}/`);
  });

  test('a passkey is added in the profile, signs in by button and when offered, and goes with a reset', async () => {
    const { path, person } = await invited();
    const { page, open } = await visit(origin);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const names = { first_name: 'Åse', last_name: 'Berg', password };
    const entered = await page
      .context()
      .request.post(`/app/api${path}`, { data: names, headers: { origin } });
    expect(entered.status()).toBe(200);
    await open('/settings/profile');
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('Navn', { exact: true }).fill('Jobbtelefonen');
    await page.getByRole('button', { name: 'Legg til passnøkkel' }).click();
    await page.getByRole('button', { name: 'Fjern passnøkkelen Jobbtelefonen' }).waitFor();
    await expect.poll(() => focused(page)).toBe('Passnøkler');
    await page.getByLabel('Navn', { exact: true }).fill('Den samme');
    await page.getByRole('button', { name: 'Legg til passnøkkel' }).click();
    await page.getByText('Denne enheten har allerede en passnøkkel').waitFor();
    const isHome = async () => {
      await page.waitForURL(`${origin}/`);
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Hjem');
    };
    // Where nothing can be offered, the button asks.
    await page.route('**/sign-in/passkey-options', (route) => route.abort(), { times: 1 });
    await page.context().clearCookies();
    const failed = page.waitForEvent('requestfailed');
    await open('/sign-in');
    await failed;
    await page.getByRole('button', { name: 'Logg inn med passnøkkel' }).click();
    await isHome();
    // The one that it offers where the address is typed is chosen.
    await page.context().clearCookies();
    await page.goto('/sign-in');
    await isHome();

    const reset = await createLink(db, { kind: 'reset', user_id: person.id });
    await page.context().clearCookies();
    await open(reset.path);
    await page.getByText('Passnøkkelen Jobbtelefonen, sist brukt').waitFor();
    expect(await axe(page)).toEqual([]);
    await expect.poll(() => page.getByLabel('Fjern disse også').isChecked()).toBe(true);
    await page.locator('[autocomplete=new-password]').fill('et helt nytt passord');
    await page.keyboard.press('Enter');
    await isHome();
    await expect.poll(() => world.query('select from passkeys where user_id = $1', [person.id])).toEqual([]);
  });

  test('where browsers have no passkeys, at an IP address, trying says so and what to do', async () => {
    const { person, workspace } = await invited();
    const { page, open } = await visit(world.origin);
    await open('/sign-in');
    await page.getByRole('button', { name: 'Logg inn med passnøkkel' }).click();
    await page.getByText('Passnøkler virker ikke på en IP-adresse.').waitFor();
    const value = await workspace.sessionOf(person);
    await page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
    await open('/settings/profile');
    await page.getByLabel('Navn', { exact: true }).fill('Jobbtelefonen');
    await page.getByRole('button', { name: 'Legg til passnøkkel' }).click();
    await page.getByText('Nettlesere lager ikke passnøkler for en IP-adresse.').waitFor();
    await expect.poll(() => page.getByLabel('Navn', { exact: true }).inputValue()).toBe('Jobbtelefonen');
  });

  test('where the browser has no passkeys, as at http, only other ways are offered', async () => {
    const { person, workspace } = await invited();
    const { page, open } = await visit(world.origin);
    await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'credentials'));
    await page.route('**/sign-in/methods', (route) => route.fulfill({ json: { data: { sso: false } } }));
    await open('/sign-in');
    await page.getByRole('button', { name: 'Logg inn', exact: true }).waitFor();
    await expect.poll(() => page.locator('.doorway-or').count()).toBe(0);
    expect(await page.getByRole('button', { name: /passnøkkel/ }).count()).toBe(0);
    const value = await workspace.sessionOf(person);
    await page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
    await open('/settings/profile');
    await page.getByText('Nettleseren har ikke passnøkler her. De krever https.').waitFor();
    expect(await page.getByRole('button', { name: 'Legg til passnøkkel' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
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
    const names = { first_name: 'Åse', last_name: 'Berg', password };
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
    await page.getByLabel('Passord', { exact: true }).fill(password);
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

  test('after signing in nobody is led elsewhere', async () => {
    const { path, person } = await invited();
    const { page, open } = await visit(origin);
    const names = { first_name: 'Åse', last_name: 'Berg', password };
    await page.context().request.post(`/app/api${path}`, { data: names, headers: { origin } });
    for (const next of ['//evil.example', 'https://evil.example/', String.raw`/\evil.example`]) {
      await page.context().clearCookies();
      await open(`/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByLabel('E-post').fill(person.email);
      await page.getByLabel('Passord', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Selskaper' }).first().waitFor();
      expect(new URL(page.url()).origin).toBe(origin);
    }
  });
});
