import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { countDrafts } from './count-drafts.ts';
import { enter as enterIn } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('what is typed and not stored', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  test('as a task, a note and a company is there again after a reload; a task that was sent is not added twice', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open, go, reload } = await enter(workspace);
    await open('/tasks');
    const title = page.getByRole('textbox', { name: 'Ny oppgave' });
    await title.fill('Ring Kari');
    await page.getByRole('textbox', { name: 'Frist' }).fill('24.12.2031');
    // The task arrives; the answer is lost, and the page with it.
    await page.route('**/app/api/tasks', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Legg til', exact: true }).click();
    await page.getByRole('status').getByText('Får ikke kontakt').waitFor();
    await page.unrouteAll();
    await reload();
    await expect.poll(() => title.inputValue()).toBe('Ring Kari');
    expect(await page.getByRole('textbox', { name: 'Frist' }).inputValue()).toBe('24.12.2031');
    await page.getByRole('button', { name: 'Legg til', exact: true }).click();
    await expect.poll(() => title.inputValue()).toBe('');
    expect((await workspace.client.get('/tasks')).body.data).toHaveLength(1);

    await go(`/companies/${orgnr}`);
    const note = page.getByRole('textbox', { name: 'Nytt notat' });
    await note.fill('Vil ha tilbud');
    await reload();
    await expect.poll(() => note.inputValue()).toBe('Vil ha tilbud');
    await note.focus();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => note.inputValue()).toBe('');

    await open(`/companies/${orgnr}?tab=contacts`);
    await page.getByRole('button', { name: 'Ny kontakt' }).click();
    await page.getByRole('textbox', { name: 'Navn' }).fill('Kari Berg');
    await reload();
    await page.getByRole('button', { name: 'Ny kontakt' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Navn' }).inputValue()).toBe('Kari Berg');
    await page.getByRole('button', { name: 'Avbryt' }).click();

    await go('/companies');
    await page.keyboard.press('n');
    const search = page.getByRole('dialog').getByRole('searchbox');
    await search.fill('Nordlys');
    await reload();
    await page.keyboard.press('n');
    await expect.poll(() => search.inputValue()).toBe('Nordlys');
    await page.keyboard.press('Escape');
    expect(await countDrafts(page)).toBe(0);
  });

  test('as a detail or a company of a contact is there again after another page and a reload, until added or given up', async () => {
    const workspace = await world.workspace();
    const { name } = await workspace.company();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const { page, open, go, reload } = await enter(workspace);
    await open(`/contacts/${id}`);
    const add = page.getByRole('button', { name: 'Legg til e-post, telefon eller annet' });
    const value = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    await add.click();
    await page.getByRole('button', { name: /Type/ }).click();
    await page.getByRole('option', { name: 'Mobil' }).click();
    await value.fill('900 11 222');
    await go('/contacts');
    await go(`/contacts/${id}`);
    await add.click();
    expect(await value.inputValue()).toBe('900 11 222');
    await value.press('Enter');
    await page.getByRole('button', { name: 'Rediger 900 11 222' }).waitFor();
    await add.click();
    expect(await value.inputValue()).toBe('');
    await value.press('Escape');

    const link = page.getByRole('button', { name: 'Knytt til et selskap' });
    const company = page.getByRole('combobox', { name: 'Selskap' });
    await link.click();
    await company.fill(name);
    await page.getByRole('option', { name }).click();
    const role = page.getByLabel('Rolle');
    await role.fill('Innkjøper');
    await reload();
    await link.click();
    expect(await company.inputValue()).toBe(name);
    expect(await role.inputValue()).toBe('Innkjøper');
    // Beside an open list nothing else can be found by its role.
    await role.focus();
    await page.getByRole('button', { name: 'Avbryt' }).click();
    await link.click();
    expect(await company.inputValue()).toBe('');
    expect(await countDrafts(page)).toBe(0);
  });
});
