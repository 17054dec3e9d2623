import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

describe.skipIf(CHROMIUM === undefined)('the workspace', () => {
  test('an owner changes name and time zone by keyboard', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/workspace');
    expect(await axe(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Navn' }).first().fill('Nordlys AS');
    const zone = page.getByRole('combobox', { name: 'Tidssone' });
    await zone.fill('new york');
    await page.getByRole('option', { name: /America\/New_York/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Lagre' }).click();
    await page.getByText('Arbeidsområdet er lagret').waitFor();
    // A button that was pending leaves nothing without a name behind.
    expect(await axe(page)).toEqual([]);
    await expect.poll(() => page.locator('[data-live-announcer] [role=img]').count()).toBe(0);
    const browser = await workspace.signIn();
    await expect
      .poll(async () => (await browser.get('/session')).body.data.workspace)
      .toMatchObject({
        name: 'Nordlys AS',
        time_zone: 'America/New_York',
      });
  });

  test('saving one field leaves the others as somebody else has set them meanwhile, and shows them', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/workspace');
    const name = page.getByRole('textbox', { name: 'Navn' }).first();
    await name.fill('Nordlys AS');
    const browser = await workspace.signIn();
    await browser.patch('/workspace', { time_zone: 'Europe/London', language: 'en' });
    await page.getByRole('button', { name: 'Lagre' }).click();
    await page.getByText('Arbeidsområdet er lagret').waitFor();
    expect((await browser.get('/session')).body.data.workspace).toMatchObject({
      name: 'Nordlys AS',
      language: 'en',
      time_zone: 'Europe/London',
    });
    const zone = page.getByRole('combobox', { name: 'Tidssone' });
    await expect.poll(() => zone.inputValue()).toBe('Europe/London');
    await browser.patch('/workspace', { name: 'Nordlys Holding AS' });
    await zone.fill('new york');
    await page.getByRole('option', { name: /America\/New_York/ }).click();
    await page.getByRole('button', { name: 'Lagre' }).click();
    await expect.poll(() => name.inputValue()).toBe('Nordlys Holding AS');
    expect((await browser.get('/session')).body.data.workspace).toMatchObject({
      name: 'Nordlys Holding AS',
      time_zone: 'America/New_York',
    });
  });

  test('a filter that nothing matches says so; an owner creates another workspace and is there', async () => {
    const workspace = await world.workspace();
    await workspace.contact();
    const { page, open, go } = await enter(browsers, workspace, { language: 'en' });
    await open('/settings/history?action=erased');
    await page.getByText('No change matches the filters.').waitFor();
    expect(await axe(page)).toEqual([]);
    await go('/settings/workspace');
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Datter AS');
    await page.getByRole('button', { name: 'Create and go there' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByText('Datter AS').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('a member reads what an owner decides', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace, { person: workspace.member });
    await open('/settings/workspace');
    await page.getByText('En eier av arbeidsområdet kan endre dette.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Lagre' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
  });

  test('days begin by the new time zone everywhere at once', async () => {
    const workspace = await world.workspace();
    const { page, open, go } = await enter(browsers, workspace);
    await open('/tasks');
    await page.getByText('Ingen åpne oppgaver').waitFor();
    await go('/settings/workspace');
    await page.getByRole('combobox', { name: 'Tidssone' }).fill('new york');
    await page.getByRole('option', { name: /America\/New_York/ }).click();
    const asked = page.waitForRequest('**/app/api/tasks/groups?*');
    await page.getByRole('button', { name: 'Lagre' }).click();
    await page.getByText('Arbeidsområdet er lagret').waitFor();
    expect((await asked).method()).toBe('GET');
  });

  test('a time zone saved by keyboard keeps the focus, and what is chosen meanwhile stays', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    const held = Promise.withResolvers<void>();
    let asked = 0;
    await page.route('**/app/api/workspace', async (route) => {
      if (route.request().method() === 'PATCH') asked += 1;
      await held.promise;
      await route.continue();
    });
    await open('/settings/workspace');
    const zone = page.getByRole('combobox', { name: 'Tidssone' });
    const language = page.locator('.workspace-field .field-select');
    const choose = async (name: string) => {
      await zone.fill(name);
      await page.getByRole('option', { name }).click();
      await expect.poll(() => zone.inputValue()).toBe(name);
    };
    /** Enter may only choose a zone at first; it sends the form once the zones for the text are there. */
    const save = async (times: number) => {
      await expect
        .poll(async () => {
          if (asked < times) await zone.press('Enter');
          return asked;
        })
        .toBe(times);
    };
    const pending = () => page.locator('form [type=submit][data-pending]').count();
    await choose('America/New_York');
    await save(1);
    await choose('Europe/Paris');
    await language.click();
    await page.getByRole('option', { name: 'English' }).click();
    held.resolve();
    await page.getByText('Arbeidsområdet er lagret').waitFor();
    await expect.poll(pending).toBe(0);
    expect(await zone.inputValue()).toBe('Europe/Paris');
    expect(await language.textContent()).toContain('English');
    await save(2);
    const browser = await workspace.signIn();
    await expect
      .poll(async () => (await browser.get('/session')).body.data.workspace)
      .toMatchObject({ time_zone: 'Europe/Paris', language: 'en' });
    await expect.poll(pending).toBe(0);
    expect(await zone.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
  });
});
