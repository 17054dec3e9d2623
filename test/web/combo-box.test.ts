import { describe, expect, test } from 'vitest';
import { focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('a field that is searched by typing', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('keeps its value when it is left by Tab, a click or Escape', async () => {
    const workspace = await world.workspace();
    const { id, name } = await workspace.company();
    const task = await workspace.task({ title: 'Ring', related_company_id: id });
    const offer = await workspace.offer({ company_id: id, title: 'Avtale' });
    const { page, open, go } = await enter(workspace);
    const writes: string[] = [];
    page.on('request', (request) => void (request.method() !== 'GET' && writes.push(request.url())));
    const shown = page.getByRole('button', { name: 'Rediger Selskap' });
    const field = page.getByRole('combobox', { name: 'Selskap' });
    const title = page.locator('h1');

    async function lookAndLeave(): Promise<void> {
      const leave = [
        () => page.keyboard.press('Tab'),
        () => title.click(),
        () => page.keyboard.press('Escape'),
        async () => {
          await page.keyboard.type('noe annet');
          await page.keyboard.press('Tab');
        },
      ];
      for (const away of leave) {
        await shown.click();
        await expect.poll(() => field.inputValue()).toBe(name);
        await away();
        await field.waitFor({ state: 'detached' });
        await shown.getByText(name).waitFor();
      }
      expect(writes).toEqual([]);
    }

    await open('/tasks?who=all');
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await lookAndLeave();
    expect((await workspace.client.get(`/tasks/${task.id}`)).body.data.related_company_id).toBe(id);
    await go(`/offers/${offer.id}`);
    await lookAndLeave();

    await go(`/offers?tab=list&company_id=${id}&company=Acme`);
    await expect.poll(() => field.inputValue()).toBe('Acme');
    for (const key of ['Tab', 'Escape']) {
      await field.focus();
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press(key);
      await page.getByRole('option').first().waitFor({ state: 'detached' });
      expect(await field.inputValue()).not.toBe('');
      expect(new URL(page.url()).searchParams.get('company_id')).toBe(id);
    }

    await go('/settings/workspace');
    const zone = page.getByRole('combobox', { name: 'Tidssone' });
    await zone.focus();
    await page.keyboard.press('Tab');
    expect(await zone.inputValue()).toBe('Europe/Oslo');
    expect(await page.getByText('Velg en tidssone fra listen.').count()).toBe(0);
  });

  test('says what became of the search, also where something is chosen, which it keeps', async () => {
    const workspace = await world.workspace();
    const { id, name } = await workspace.company();
    const offer = await workspace.offer({ company_id: id, title: 'Avtale' });
    const { page, open } = await enter(workspace);
    const { promise: held, resolve: give } = Promise.withResolvers<void>();
    await open(`/offers/${offer.id}`);
    await page.getByRole('button', { name: 'Rediger Selskap' }).click();
    const field = page.getByRole('combobox', { name: 'Selskap' });
    const options = page.getByRole('listbox').getByRole('option');
    await options.getByText(name).waitFor();

    await page.route('**/companies?*q=xyz*', async (route) => {
      await held;
      await route.continue();
    });
    await page.route('**/companies?*q=Fjord*', (route) => route.abort());
    await field.fill('xyz');
    await page.locator('.menu-earlier').getByText(name).waitFor();
    give();
    await expect
      .poll(() => options.allTextContents())
      .toEqual(['Ingen treff. Nye selskaper legges til under Selskaper.']);
    await field.press('ArrowDown');
    expect(await field.getAttribute('aria-activedescendant')).toBeNull();
    await field.fill('Fjord');
    await options.getByText('Får ikke kontakt med tjenesten').waitFor();
    await field.fill(name);
    await expect.poll(() => options.getByText(name).count()).toBe(1);
    await field.fill('xyz');
    await options.getByText('Ingen treff').waitFor();
    await field.press('Enter');
    expect(await field.inputValue()).toBe(name);
  });

  test('is emptied to type another value; Enter, or leaving it empty, removes the value', async () => {
    const workspace = await world.workspace();
    const { id, name } = await workspace.company();
    const task = await workspace.task({ title: 'Ring', related_company_id: id });
    const stored = async () => (await workspace.client.get(`/tasks/${task.id}`)).body.data.related_company_id;
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByRole('row', { name: 'Ring' }).press('Enter');
    const shown = page.getByRole('button', { name: 'Rediger Selskap' });
    const field = page.locator('.task-editor').getByRole('combobox', { name: 'Selskap' });
    await shown.click();
    await focusIn(field);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('Nordlys');
    expect(await field.inputValue()).toBe('Nordlys');
    await page.keyboard.press('Escape');
    await shown.getByText(name).waitFor();
    expect(await stored()).toBe(id);
    // Half a name does not remove the value, although React Aria empties the field when it is left by these keys.
    for (const keys of [['Tab'], ['Enter', 'Enter', 'Tab']]) {
      await shown.click();
      await focusIn(field);
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('nor');
      await page.getByRole('listbox').waitFor();
      for (const key of keys) await page.keyboard.press(key);
      await shown.getByText(name).waitFor();
      expect(await stored()).toBe(id);
    }

    for (const key of ['Enter', 'Tab']) {
      await workspace.client.patch(`/tasks/${task.id}`, { related_company_id: id });
      await shown.getByText(name).waitFor();
      await shown.click();
      await field.fill('');
      await page.keyboard.press(key);
      await page.getByText('Lagret').waitFor();
      expect(await stored()).toBeNull();
      await shown.getByText('ikke fylt ut').waitFor({ state: 'attached' });
    }
  });

  test('saves what is chosen again after the service was not reached', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const task = await workspace.task({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    let isCut = false;
    await page.route('**/app/api/**', (route) => (isCut ? route.abort() : route.fallback()));
    await open('/tasks');
    await page.getByRole('row', { name: 'Ring' }).press('Enter');
    await page.getByRole('button', { name: 'Rediger Selskap' }).click();
    const field = page.locator('.task-editor').getByRole('combobox', { name: 'Selskap' });
    await field.fill(company.name.slice(0, -1));
    await page.getByRole('option', { name: company.name }).waitFor();
    isCut = true;
    await page.getByRole('option', { name: company.name }).click();
    await page.locator('.edit-state').getByText('Får ikke kontakt').waitFor();
    isCut = false;
    await field.press('Enter');
    await page.getByText('Lagret').waitFor();
    const { data } = (await workspace.client.get(`/tasks/${task.id}`)).body;
    expect(data.related_company_id).toBe(company.id);
  });

  test('is closed by Enter where nothing was changed', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const { id } = await workspace.offer({ company_id: company.id });
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Selskap' }).press('Enter');
    await page.getByRole('option', { name: company.name }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('edit-button');
    expect(await page.locator('.edit-editor').count()).toBe(0);
  });

  test('saves what is chosen again after that has failed, by Enter and by a click', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.company();
    const other = await workspace.company();
    const task = await workspace.task({ title: 'Ring', related_company_id: id });
    const { page, open } = await enter(workspace);
    let asked = 0;
    await page.route('**/app/api/tasks/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      asked += 1;
      if (asked > 3) return route.fallback();
      return route.fulfill({ status: 429, json: { error: 'x', code: 'rate_limited' } });
    });
    await open('/tasks');
    await page.getByRole('row', { name: 'Ring' }).press('Enter');
    await page.getByRole('button', { name: 'Rediger Selskap' }).click();
    const field = page.locator('.task-editor').getByRole('combobox', { name: 'Selskap' });
    const option = page.getByRole('option', { name: other.name });
    await field.fill(other.name);
    await option.click();
    await expect.poll(() => asked).toBe(1);
    await field.press('Enter');
    await expect.poll(() => asked).toBe(2);
    await page.getByText('For mange forespørsler').waitFor();
    await field.press('ArrowDown');
    await option.waitFor();
    await field.press('Enter');
    await expect.poll(() => asked).toBe(3);
    await page.getByText('For mange forespørsler').waitFor();
    await field.press('ArrowDown');
    await option.click();
    await page.getByText('Lagret').waitFor();
    const { data } = (await workspace.client.get(`/tasks/${task.id}`)).body;
    expect(data.related_company_id).toBe(other.id);
  });
});
