import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { loseAnswer } from './lose-answer.ts';

describe.skipIf(CHROMIUM === undefined)('an invitation that was used', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const password = 'et langt passord';

  /** Somebody with an account in one workspace, and the path of an invitation to another. */
  async function invitedTwice(email: string) {
    const paths = [];
    for (const workspace of [await world.workspace(), await world.workspace()]) {
      const { body } = await (await workspace.signIn()).post('/members/invite', { email });
      paths.push(body.data.path as string);
    }
    const names = { first_name: 'Nora', last_name: 'Berg', password };
    expect((await world.browser().post(paths[0]!, names)).status).toBe(200);
    return paths[1]!;
  }

  async function signInBy(path: string, email: string) {
    const { page, open } = await visit(world.origin);
    await open(`/sign-in?next=${path}`);
    await page.getByLabel('E-post').fill(email);
    await page.getByLabel('Passord').fill(password);
    const press = () => page.getByRole('button', { name: 'Logg inn', exact: true }).click();
    return { page, press };
  }

  test('leads to signing in from the form of its account, whose answer was lost', async () => {
    const workspace = await world.workspace();
    const owner = await workspace.signIn();
    const email = `nora.${process.pid}@example.no`;
    const { path } = (await owner.post('/members/invite', { email, role: 'member' })).body.data;
    const { page, open } = await visit(world.origin);
    await open(path);
    await page.getByLabel('Fornavn').fill('Nora');
    await page.getByLabel('Etternavn').fill('Berg');
    await page.getByLabel('Passord').fill(password);
    await loseAnswer(page, '**/app/api/welcome/*');
    const create = page.getByRole('button', { name: 'Opprett konto' });
    await create.click();
    await page.getByText('Får ikke kontakt').waitFor();
    // The lost answer also had the session, which is now in the browser's context.
    await page.context().clearCookies();
    await create.click();
    await page.getByText('Har du brukt den selv, kan du logge inn.').waitFor();
    await page.getByRole('link', { name: 'Til innlogging' }).click();
    await page.getByLabel('E-post').fill(email);
    await page.getByLabel('Passord').fill(password);
    await page.getByRole('button', { name: 'Logg inn', exact: true }).click();
    await page.getByRole('heading', { name: 'Hjem' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('lets in its person, who signs in again because the first answer was lost', async () => {
    const email = `anna.${process.pid}@example.no`;
    const { page, press } = await signInBy(await invitedTwice(email), email);
    await loseAnswer(page, '**/app/api/sign-in');
    await press();
    await page.getByText('Får ikke kontakt').waitFor();
    await page.context().clearCookies();
    await press();
    await page.getByRole('heading', { name: 'Hjem' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('is left aside by somebody who signs in with another account', async () => {
    const [email, own] = [`carl.${process.pid}@example.no`, `carl.own.${process.pid}@example.no`];
    await invitedTwice(own);
    const { page, press } = await signInBy(await invitedTwice(email), own);
    await press();
    await page.getByText('Invitasjonen er til en annen konto').waitFor();
    await press();
    await page.getByRole('heading', { name: 'Hjem' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('is no longer sent by the next attempt to sign in, where it has expired', async () => {
    const email = `berit.${process.pid}@example.no`;
    const path = await invitedTwice(email);
    const { page, press } = await signInBy(path, email);
    await world.query('update welcome_links set expires_at = now() where used_at is null');
    await press();
    await page.getByText('Lenken er brukt, eller for gammel.').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await press();
    await page.getByRole('heading', { name: 'Hjem' }).waitFor();
  });
});
