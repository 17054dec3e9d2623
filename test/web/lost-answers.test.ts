import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { freshOrgnr } from '../workspace.ts';
import { enter as enterIn } from './enter.ts';
import { loseAnswer, pressUntilTaken } from './lose-answer.ts';
import { messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('a write whose answer was lost, tried again', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  test('begins one import', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    await open('/import');
    const buffer = Buffer.from(`Organisasjonsnummer;Status\r\n${freshOrgnr()};Kunde`);
    await page.setInputFiles('input[type=file]', { name: 'kunder.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    await loseAnswer(page, '**/app/api/imports');
    const start = page.getByRole('button', { name: 'Importer 1 rad' });
    await start.click();
    await page.getByText('Får ikke kontakt').waitFor();
    await start.click();
    await page.getByText('Importen er ferdig').waitFor();
    const imports = await world.query('select row_count from imports where tenant_id = $1', [workspace.id]);
    expect(imports).toHaveLength(1);
  });

  test('creates one workspace, and goes to it', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    const create = page.getByRole('button', { name: 'Opprett' });
    // Else the wait for changes would follow the session before anything else is done.
    await page.route(/\/changes\?.*wait=[1-9]/, () => undefined);
    const names = async () =>
      (await world.query("select name from workspaces where name like 'Nordlys%'")).map(({ name }) => name);
    await open('/settings/workspace');
    const field = page.getByRole('textbox', { name: 'Navn' }).last();
    await field.fill('Nordlys');
    await loseAnswer(page, '**/app/api/workspaces');
    await create.click();
    await page.getByText('Får ikke kontakt').waitFor();
    await loseAnswer(page, '**/app/api/session/workspace');
    await create.click();
    await page.getByText('Får ikke kontakt').waitFor();
    expect(await names()).toEqual(['Nordlys']);
    await field.fill('Nordlys Drift');
    await create.click();
    await page.waitForURL((url) => url.pathname === '/');
    expect(await names()).toEqual(['Nordlys Drift']);
  });

  test('writes a note once, also where it was changed and changed back before', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}`);
    const field = page.getByRole('textbox', { name: 'Nytt notat' });
    await loseAnswer(page, '**/notes');
    await field.fill('Ringte');
    await field.press('Control+Enter');
    await page.getByText('Får ikke kontakt').waitFor();
    await field.press('End');
    await page.keyboard.type('!');
    await page.keyboard.press('Backspace');
    await field.press('Control+Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    expect((await workspace.client.get('/notes')).body.data).toHaveLength(1);
  });

  test('adds one task, contact and offer', async () => {
    const workspace = await world.workspace();
    const { name } = await workspace.company();
    const { page, open, go } = await enter(workspace);
    const stored = async (path: string) => (await workspace.client.get(path)).body.data.length;
    await open('/tasks');
    await page.getByText('Ingen åpne oppgaver').waitFor();
    const task = page.getByRole('textbox', { name: 'Ny oppgave' });
    await task.fill('Ring Kari');
    await loseAnswer(page, '**/app/api/tasks');
    await task.press('Enter');
    await expect.poll(() => messages(page)).toContain('Får ikke kontakt');
    expect(await stored('/tasks')).toBe(1);
    await pressUntilTaken(task);
    expect(await stored('/tasks')).toBe(1);

    const dialog = page.getByRole('dialog');
    const create = dialog.getByRole('button', { name: 'Opprett' });
    const failed = dialog.getByText('Får ikke kontakt');
    await go('/contacts');
    await page.getByRole('button', { name: 'Ny kontakt' }).first().click();
    await page.getByRole('textbox', { name: 'Navn' }).fill('Kari Nordmann');
    await page.getByRole('textbox', { name: 'E-post' }).fill('kari@example.no');
    for (const path of ['**/app/api/contacts', '**/points']) {
      const lost = await loseAnswer(page, path);
      await create.click();
      await expect.poll(() => lost.isLost).toBe(true);
      await failed.waitFor();
    }
    await create.click();
    await dialog.waitFor({ state: 'detached' });
    const [{ id }] = (await workspace.client.get('/contacts')).body.data;
    expect(await Promise.all(['/contacts', `/contacts/${id}/points`].map(stored))).toEqual([1, 1]);

    await go('/offers');
    await page.getByRole('button', { name: 'Nytt tilbud' }).first().click();
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Drift');
    await page.getByRole('combobox', { name: 'Selskap' }).fill(name);
    await page.getByRole('option', { name }).click();
    await loseAnswer(page, '**/app/api/offers');
    await create.click();
    await failed.waitFor();
    expect(await stored('/offers')).toBe(1);
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Drift og vakt');
    await create.click();
    await dialog.waitFor({ state: 'detached' });
    expect((await workspace.client.get('/offers')).body.data).toMatchObject([{ title: 'Drift og vakt' }]);
  });

  test('adds one task whose due date is changed before the next try', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByText('Ingen åpne oppgaver').waitFor();
    const task = page.getByRole('textbox', { name: 'Ny oppgave' });
    await task.fill('Ring Kari');
    await loseAnswer(page, '**/app/api/tasks');
    await task.press('Enter');
    await expect.poll(() => messages(page)).toContain('Får ikke kontakt');
    await page.getByRole('textbox', { name: 'Frist' }).fill('24.12.2031');
    await pressUntilTaken(task);
    const { data } = (await workspace.client.get('/tasks')).body;
    expect(data).toMatchObject([{ due_date: expect.stringContaining('2031-12-2') }]);
  });

  test.for([
    ['tasks', 'Ny oppgave', 'Hva skal gjøres'],
    ['offers', 'Nytt tilbud', 'Hva tilbudet gjelder'],
  ] as const)('adds one of the %s of a company whose title is changed before the next try', async (of) => {
    const [path, button, label] = of;
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}?tab=${path}`);
    await page.getByRole('button', { name: button }).click();
    const title = page.getByRole('textbox', { name: label });
    await title.fill('Drift');
    await loseAnswer(page, `**/app/api/${path}`);
    await title.press('Enter');
    await page.locator('.form-problem').getByText('Får ikke kontakt').waitFor();
    await title.fill('Drift og vakt');
    await title.press('Enter');
    await title.waitFor({ state: 'detached' });
    expect((await workspace.client.get(`/${path}`)).body.data).toMatchObject([{ title: 'Drift og vakt' }]);
  });

  test('sets nothing back that others have changed since, where the form is as it was', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}?tab=offers`);
    await page.getByRole('button', { name: 'Nytt tilbud' }).click();
    const title = page.getByRole('textbox', { name: 'Hva tilbudet gjelder' });
    await title.fill('Drift');
    await loseAnswer(page, '**/app/api/offers');
    await title.press('Enter');
    await page.locator('.form-problem').getByText('Får ikke kontakt').waitFor();
    const [{ id }] = (await workspace.client.get('/offers')).body.data;
    await workspace.client.patch(`/offers/${id}`, { one_time_revenue: 5000 });
    await title.press('Enter');
    await title.waitFor({ state: 'detached' });
    expect((await workspace.client.get('/offers')).body.data).toMatchObject([{ one_time_revenue: 5000 }]);
  });
});
