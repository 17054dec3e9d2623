import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

describe.skipIf(CHROMIUM === undefined)('an API key', () => {
  test('has nothing that axe objects to in any state, wide and on a phone', async () => {
    const workspace = await world.workspace();
    const { page, open, show } = await enter(browsers, workspace);
    const look = async () => {
      for (const screen of ['phone', 'wide'] as const) {
        await show(screen);
        expect([screen, await axe(page)]).toEqual([screen, []]);
      }
    };
    await open('/settings/keys');
    await page.getByRole('rowheader', { name: 'test' }).first().waitFor();
    await look();
    for (const item of ['Bytt …', 'Trekk tilbake …']) {
      await page.getByRole('button', { name: 'Valg for test' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('button', { name: 'Avbryt' }).waitFor();
      await look();
      await page.keyboard.press('Escape');
      // The focus goes back to the button of the menu that led there.
      await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Valg for test');
    }
    await page.getByRole('button', { name: 'Opprett nøkkel' }).click();
    await page.getByRole('dialog').waitFor();
    await look();
  });

  test('is created by keyboard alone, shown once, and its curl line works; a member sees their own alone', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace, { person: workspace.member });
    await open('/settings/keys');
    await page.getByText('Her kommer nøklene').waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await focusIn(dialog);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('API-nøkler');
    await page.keyboard.press('n');
    await dialog.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name');
    await page.keyboard.type('Nettbutikken');
    await page.keyboard.press('Enter');
    await dialog.getByText('Velg minst én tilgang.').waitFor();
    await expect.poll(() => dialog.getByLabel('Navn').inputValue()).toBe('Nettbutikken');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expect.poll(() => dialog.getByLabel('Selskaper: Les').isChecked()).toBe(true);
    await dialog.getByLabel('Navn').focus();
    await page.keyboard.press('Enter');

    const panel = page.getByRole('region', { name: 'Nøkkelen Nettbutikken er opprettet' });
    await panel.waitFor();
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toBe('Nøkkelen Nettbutikken er opprettet');
    expect(await axe(page)).toEqual([]);
    const [token, curl] = await panel.locator('code').allTextContents();
    expect(curl).toBe(`curl -H "Authorization: Bearer ${token}" ${world.origin}/api/v1/me`);
    await expect.poll(async () => (await world.client(token).get('/companies')).status).toBe(200);
    await expect.poll(async () => (await world.client(token).get('/tasks')).status).toBe(403);
    await panel.getByRole('button', { name: 'Jeg har kopiert den' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.getByRole('rowheader', { name: /^Nettbutikken/ }).waitFor();
    await expect.poll(() => page.content()).not.toContain(token);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    // Shown without a reload.
    await workspace.key(255, { user: workspace.member });
    await page.getByRole('rowheader', { name: 'test' }).first().waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
  });

  test('of somebody else says to an admin that they cannot rotate it, and who can', async () => {
    const workspace = await world.workspace();
    const admin = await workspace.addMember({ first_name: 'Åse' }, 'admin');
    await workspace.key(255, { user: admin });
    const { page, open } = await enter(browsers, workspace, { person: admin });
    await open('/settings/keys');
    const row = (by: string) => page.getByRole('row').filter({ hasText: by });
    const reason = 'Bare Ola Nordmann eller en eier kan bytte den.';
    await row('Ola Nordmann,').getByText(reason).waitFor();
    expect(await page.getByText('kan bytte den').count()).toBe(1);
    expect(await axe(page)).toEqual([]);
    await row('Åse Nordmann,').getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Bytt …' }).waitFor();
    await focusIn(page.getByRole('menu'));
    await page.keyboard.press('Escape');
    // The next menu has an item of the same name.
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await row('Ola Nordmann,').getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Trekk tilbake …' }).click();
    await page.getByRole('button', { name: 'Trekk tilbake test' }).click();
    await page.getByText(reason).waitFor({ state: 'detached' });
  });

  test('is rotated and revoked, in English', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace, { language: 'en' });
    await open('/settings/keys');
    await page.getByRole('button', { name: 'Actions for test' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Rotate…' }).press('Enter');
    await page.getByRole('button', { name: 'Rotate key' }).press('Enter');
    const panel = page.getByRole('region', { name: 'A new key for test' });
    await panel.getByText('The old one works: for another day.').waitFor();
    const token = await panel.locator('code').first().textContent();
    await expect.poll(async () => (await world.client(token!).get('/me')).status).toBe(200);
    await page.getByText('Being replaced').waitFor();
    await page.getByText(/^until \d+ \w+ \d{4} \d\d:\d\d$/).waitFor();

    await page
      .getByRole('row', { name: /Being replaced/ })
      .getByRole('button')
      .press('Enter');
    await page.getByRole('menuitem', { name: 'Revoke…' }).press('Enter');
    await page.getByText(/cannot be undone/).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Revoke test');
    await page.keyboard.press('Enter');
    await page.getByText('Being replaced').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show ended' }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    await expect.poll(async () => (await workspace.client.get('/me')).status).toBe(401);
  });

  test('that could not be revoked: the dialog says so, and can try again', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/keys');
    await page.route('**/app/api/keys/*/revoke', (route) =>
      route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } }),
    );
    await page.getByRole('button', { name: 'Valg for test' }).click();
    await page.getByRole('menuitem', { name: 'Trekk tilbake …' }).click();
    const dialog = page.getByRole('alertdialog');
    const revoke = dialog.getByRole('button', { name: 'Trekk tilbake test' });
    await revoke.click();
    await dialog.getByRole('alert').getByText('Tjenesten er utilgjengelig').waitFor();
    await page.unroute('**/app/api/keys/*/revoke');
    await revoke.click();
    await page.getByText(/^test er trukket tilbake/).waitFor();
    expect((await workspace.client.get('/me')).status).toBe(401);
  });

  test('without a name has its id in its place', async () => {
    const workspace = await world.workspace();
    await world.query("update api_keys set name = '' where tenant_id = $1", [workspace.id]);
    await world.query("update users set last_name = '' where id = $1", [workspace.owner.id]);
    const [key] = await world.query('select id from api_keys where tenant_id = $1', [workspace.id]);
    const id = String(key!['id']);
    await workspace.contact();
    const { page, open, go } = await enter(browsers, workspace);
    await open('/settings/history');
    await page.getByRole('grid').getByText(id).first().waitFor();
    await go('/settings/keys');
    await page.getByText(/^Ola, \d/).waitFor();
    const choose = async (item: string) => {
      await page
        .getByRole('button', { name: /^Valg for/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Bytt …');
    await page.getByRole('dialog', { name: `Bytt ${id}` }).waitFor();
    await page.getByRole('button', { name: 'Bytt nøkkel' }).click();
    const panel = page.getByRole('region', { name: /^Ny nøkkel for \S/ });
    await panel.getByRole('button', { name: 'Jeg har kopiert den' }).click();
    await choose('Trekk tilbake …');
    await page.getByRole('button', { name: /^Trekk tilbake \S/ }).click();
    await expect.poll(() => page.getByText(/^\S+ er trukket tilbake/).count()).toBe(1);
  });
});

describe.skipIf(CHROMIUM === undefined)('the page for developers', () => {
  test('a first call is tried from the page for developers', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace, { person: workspace.member });
    await open('/developers');
    expect(await axe(page)).toEqual([]);
    await page.getByText(`${world.origin}/api/v1`, { exact: true }).waitFor();
    await page.getByText(workspace.id).waitFor();
    await page.getByRole('button', { name: 'Lag prøvenøkkel' }).click();
    const panel = page.getByRole('region', { name: 'Nøkkelen Prøvenøkkel er opprettet' });
    const client = world.client((await panel.locator('code').first().textContent())!);
    await expect.poll(async () => (await client.get('/companies')).status).toBe(200);
    await expect.poll(async () => (await client.post('/contacts', { name: 'x' })).status).toBe(403);
    expect(await axe(page)).toEqual([]);
  });
});
