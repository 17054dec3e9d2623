import { describe, expect, test } from 'vitest';
import { focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('named views of companies', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function enterList() {
    const workspace = await world.workspace();
    await workspace.company();
    const { page, open } = await enter({ world, visit }, workspace);
    const menu = page.locator('.toolbar').getByRole('button', { name: /^(?:Visninger|[ABC])$/ });
    const choose = async (item: string) => {
      await menu.click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    const save = async (name: string) => {
      await choose('Lagre visningen');
      await page.getByLabel('Navn på visningen').fill(name);
      await page.keyboard.press('Enter');
    };
    const filter = async (status: string) => {
      await page.getByRole('button', { name: /^Status/ }).click();
      await page.getByRole('menuitemradio', { name: status, exact: true }).click();
      await menu.filter({ hasText: 'Visninger' }).waitFor();
    };
    return { page, open, menu, choose, save, filter };
  }

  test('come back one by one, beside what was saved since, and have a name', async () => {
    const { page, open, menu, choose, save, filter } = await enterList();
    const named = async () => {
      await menu.click();
      await focusIn(page.getByRole('menu'));
      const items = await page.getByRole('menuitem').allTextContents();
      await page.keyboard.press('Escape');
      return items.filter((text) => /^[ABC]?$/.test(text.trim())).join('');
    };
    const undo = async (name: string) => {
      const message = page.locator('.toast', { hasText: `Visningen ${name} er fjernet` });
      await message.getByRole('button', { name: 'Angre' }).click();
      await message.waitFor({ state: 'detached' });
    };
    await open('/companies?status=lead');
    await save('A');
    await filter('Kunde');
    await save('B');
    await choose('Fjern B');
    await choose('A');
    await choose('Fjern A');
    await filter('Prospekt');
    await save('C');
    await undo('B');
    expect(await named()).toBe('CB');
    await undo('A');
    expect(await named()).toBe('CBA');

    await save(' ');
    await page.getByText('Fyll ut dette feltet.').waitFor();
    await page.keyboard.press('Escape');
    expect(await named()).toBe('CBA');
  });

  test('can be restored when another was saved under the name', async () => {
    const { page, open, menu, choose, save, filter } = await enterList();
    await open('/companies?status=lead');
    await save('A');
    await page.locator('.toast', { hasText: 'Visningen A er lagret' }).waitFor();
    expect(await page.getByRole('button', { name: 'Angre' }).count()).toBe(0);
    await filter('Kunde');
    await save('A');
    await menu.filter({ hasText: 'A' }).waitFor();
    await page.getByRole('button', { name: 'Angre' }).click();
    await menu.filter({ hasText: 'Visninger' }).waitFor();
    await choose('A');
    await page.waitForURL(/\?status=lead$/);
  });
});
