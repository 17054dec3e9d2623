import { afterAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { connect } from '../../src/db/connect.ts';
import { createLink } from '../../src/members/links.ts';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { startIdentityProvider } from '../identity-provider.ts';
import { createWorld } from '../world.ts';
import { enter as enterIn } from './enter.ts';
import { joinAnother } from './join-another.ts';
import { messages } from './offer-board.ts';

/** Stays on the page whenever the browser asks. @returns what it has asked */
function stay(page: Page): string[] {
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.type());
    await dialog.dismiss();
  });
  return asked;
}

/** Makes the page ask for its session, as when the tab is shown again. */
async function lookAgain(page: Page): Promise<void> {
  const looked = page.waitForResponse('**/app/api/session');
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await looked;
  // What the page does with the answer is done by then.
  await page.evaluate("fetch('/app/api/session').then((answer) => answer.text())");
}

describe.skipIf(CHROMIUM === undefined)('before the page is loaded again', async () => {
  const provider = await startIdentityProvider();
  const world = await createWorld({ singleSignOn: provider.settings });
  const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
  afterAll(() => db.close());
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  /** The owner of a workspace with an offer, who is in "Andre AS" as well. */
  async function enterOneOfTwo() {
    const workspace = await world.workspace();
    const other = await joinAnother(world, workspace.owner);
    const offer = await workspace.offer({ title: 'Driftsavtale' });
    return { workspace, other, offer, ...(await enter(workspace)) };
  }

  test('the browser asks about what is typed in place, being saved or in a message, and about nothing else', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ title: 'Driftsavtale' });
    const { page, open, reload } = await enter(workspace);
    await open(`/offers/${id}`);
    const asked = stay(page);
    const load = () => page.evaluate("location.assign('/tasks')");
    const edit = page.getByRole('button', { name: 'Rediger Beskrivelse' });
    const field = page.getByRole('textbox', { name: 'Beskrivelse' });
    await edit.click();
    await reload();
    expect(asked).toHaveLength(0);
    await edit.click();
    await field.fill('En lang tekst');
    await load();
    await expect.poll(() => asked).toEqual(['beforeunload']);
    expect(await field.inputValue()).toBe('En lang tekst');

    const held = Promise.withResolvers<void>();
    await page.route(`**/app/api/offers/${id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      await held.promise;
      return route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } });
    });
    await page.getByRole('link', { name: 'Kontakter', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Kontakter' }).waitFor();
    await load();
    await expect.poll(() => asked).toHaveLength(2);
    held.resolve();
    await page.getByRole('button', { name: 'Lagre igjen' }).waitFor();
    await load();
    await expect.poll(() => asked).toHaveLength(3);
    await page.unroute(`**/app/api/offers/${id}`);
    await page.getByRole('button', { name: 'Lagre igjen' }).click();
    await expect.poll(() => messages(page)).toContain('Beskrivelse: Lagret');
    await reload();
    expect(asked).toHaveLength(3);
  });

  test('because another tab has gone to another workspace, the browser asks once', async () => {
    const { workspace, other, offer, page, open } = await enterOneOfTwo();
    await open(`/offers/${offer.id}`);
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    const field = page.getByRole('textbox', { name: 'Tittel' });
    await field.fill('Ny avtale');
    const asked = stay(page);
    const move = (to: string) =>
      page.context().request.post('/app/api/session/workspace', {
        data: { workspace_id: to },
        headers: { origin: world.origin },
      });
    expect((await move(other.id)).status()).toBeLessThan(300);
    for (const _ of [1, 2]) {
      await lookAgain(page);
      await expect.poll(() => asked).toEqual(['beforeunload']);
    }
    expect(await field.inputValue()).toBe('Ny avtale');
    // Nor is anything written into the other workspace.
    await field.press('Enter');
    await page.getByText('Du er i et annet arbeidsområde nå.').waitFor();
    // An answer about the session that comes later would make the browser ask once more.
    await lookAgain(page);
    await move(workspace.id);
    // The message comes before the field takes the next try.
    await expect.poll(() => page.locator('[data-state="saving"]').count()).toBe(0);
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Ny avtale' }).waitFor();
    expect(asked).toHaveLength(1);
  });

  test('because another tab has gone to another workspace, the one that stays is not mixed with it', async () => {
    const { other, offer, page, open, go } = await enterOneOfTwo();
    await open(`/offers/${offer.id}`);
    const busy = { status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } };
    await page.route(`**/app/api/offers/${offer.id}`, (route) =>
      route.request().method() === 'PATCH' ? route.fulfill(busy) : route.fallback(),
    );
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Ny avtale');
    await go('/settings/members');
    await page.getByRole('button', { name: 'Lagre igjen' }).waitFor();
    const asked = stay(page);
    await page.context().request.post('/app/api/session/workspace', {
      data: { workspace_id: other.id },
      headers: { origin: world.origin },
    });
    await lookAgain(page);
    await expect.poll(() => asked).toEqual(['beforeunload']);
    await page.getByRole('button', { name: /^Rollen til Kari/ }).click();
    let looks = 0;
    page.on('response', (answer) => (looks += answer.url().endsWith('/app/api/session') ? 1 : 0));
    const refused = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await page.getByRole('menuitemradio', { name: 'Administrator' }).click();
    expect((await refused).status()).toBe(409);
    // The page asks where the session went, and reads its own workspace again.
    await expect.poll(() => looks).toBeGreaterThan(1);
    await lookAgain(page);
    expect(await page.locator('.navigation-workspace').getAttribute('title')).toBe('Prøve AS');
    expect(asked).toHaveLength(1);
  });

  test('because another tab has gone to another workspace, a key that is shown this once stays', async () => {
    const { other, page, open } = await enterOneOfTwo();
    await open('/settings/keys');
    await page
      .getByRole('button', { name: /^Valg for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Bytt …' }).click();
    await page.getByRole('button', { name: 'Bytt nøkkel' }).click();
    const panel = page.getByRole('region', { name: /^Ny nøkkel for / });
    await panel.waitFor();
    const asked = stay(page);
    await page.context().request.post('/app/api/session/workspace', {
      data: { workspace_id: other.id },
      headers: { origin: world.origin },
    });
    await lookAgain(page);
    await expect.poll(() => asked).toEqual(['beforeunload']);
    expect(await panel.isVisible()).toBe(true);
  });

  test('nothing is asked: signing out leaves nothing of the workspace on the screen', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ title: 'Driftsavtale' });
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Engangs' }).click();
    await page.getByRole('textbox', { name: 'Engangs' }).fill('omtrent ti');
    const asked = stay(page);
    await page.locator('.person-button').click();
    await page.getByRole('menuitem', { name: 'Logg ut' }).click();
    await page.waitForURL('**/sign-in');
    expect(asked).toEqual([]);
  });

  test('nothing is asked: signing in again at the identity provider has a tab of its own', async () => {
    const workspace = await world.workspace();
    const person = await workspace.addMember();
    const { id } = await workspace.offer({ title: 'Driftsavtale' });
    const invitation = { kind: 'invitation', user_id: person.id, workspace: workspace.id } as const;
    provider.setNext({ sub: `s${Date.now()}`, given_name: 'Kari' });
    const origin = world.origin.replace('127.0.0.1', 'localhost');
    const { page, open, go } = await visit(origin);
    await open((await createLink(db, invitation)).path);
    // What waits for changes would hear first that nobody is signed in, and cover the field.
    await page.route(/\/changes\?.*wait=[1-9]/, () => undefined);
    await page.getByRole('button', { name: /^Fortsett med/ }).click();
    await page.waitForURL(`${origin}/`);
    await page.getByRole('heading', { name: 'Hjem' }).waitFor();
    await go(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    const field = page.getByRole('textbox', { name: 'Tittel' });
    await field.fill('Ny avtale');
    await world.query('delete from sessions where user_id = $1', [person.id]);
    await field.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Du er logget ut' });
    const opened = page.context().waitForEvent('page');
    await dialog.getByRole('button', { name: /^Fortsett med/ }).click();
    const tab = await opened;
    if (!tab.isClosed()) await tab.waitForEvent('close');
    await dialog.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('Ny avtale');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Ny avtale' }).waitFor();
  });

  test('nothing is asked: signing in again leads back to the workspace that is shown, also where another was joined first', async () => {
    const [first, workspace] = [await world.workspace(), await world.workspace()];
    const person = await first.addMember();
    const invitation = { kind: 'invitation', user_id: person.id, workspace: first.id } as const;
    const { path } = await createLink(db, invitation);
    const { id } = await workspace.offer({ title: 'Driftsavtale' });
    const { page, open } = await visit(world.origin);
    const asked = stay(page);
    const headers = { origin: world.origin };
    const post = (to: string, data: object) =>
      page.context().request.post(`/app/api${to}`, { data, headers });
    const password = 'riktig hest batteri';
    await post(path, { first_name: 'Kari', last_name: 'Berg', password });
    await world.query(
      "insert into memberships (tenant_id, user_id, role, joined_at) values ($1, $2, 'member', now())",
      [workspace.id, person.id],
    );
    expect((await post('/session/workspace', { workspace_id: workspace.id })).status()).toBe(200);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    const field = page.getByRole('textbox', { name: 'Tittel' });
    const dialog = page.getByRole('dialog', { name: 'Du er logget ut' });
    const signInAgain = async () => {
      await world.query('delete from sessions where user_id = $1', [person.id]);
      await lookAgain(page);
      await dialog.getByLabel('Passord', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
    };
    await field.fill('Ny avtale');
    await signInAgain();
    expect(asked).toEqual([]);
    expect(await field.inputValue()).toBe('Ny avtale');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Ny avtale' }).waitFor();

    // The browser asks somebody who was removed from the workspace meanwhile, who may then stay and read on.
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    await field.fill('Enda en avtale');
    await world.query('delete from memberships where tenant_id = $1 and user_id = $2', [
      workspace.id,
      person.id,
    ]);
    await signInAgain();
    await expect.poll(() => asked).toEqual(['beforeunload']);
    expect(await field.inputValue()).toBe('Enda en avtale');
  });
});
