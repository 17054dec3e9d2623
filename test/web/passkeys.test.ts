import { describe, expect, test } from 'vitest';
import { createLink } from '../../src/members/links.ts';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createDoors, PASSWORD } from './invited.ts';
import { focused } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('passkeys', async () => {
  const { world, db, origin, invited } = await createDoors();
  const visit = useBrowser({ fresh: true });

  test('a passkey is added in the profile, signs in by button and when offered, and is removed by a reset', async () => {
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
    const names = { first_name: 'Åse', last_name: 'Berg', password: PASSWORD };
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
    const failed = page.waitForEvent('requestfailed', (request) =>
      request.url().endsWith('/sign-in/passkey-options'),
    );
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
    await page.getByText('Passnøkler kan ikke brukes her. De krever https.').waitFor();
    expect(await page.getByRole('button', { name: 'Legg til passnøkkel' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
  });
});
