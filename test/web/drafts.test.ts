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

  test('into the dialog of a new offer or contact is there again after a reload, until given up', async () => {
    const workspace = await world.workspace();
    const { name } = await workspace.company();
    const { page, open, go, reload } = await enter(workspace);
    const dialog = page.getByRole('dialog');
    const choose = async () => {
      await dialog.getByRole('combobox', { name: 'Selskap' }).fill(name);
      await page.getByRole('option', { name }).click();
    };
    await open('/offers');
    await page.keyboard.press('n');
    await dialog.getByRole('textbox', { name: 'Tittel' }).fill('Driftsavtale');
    await choose();
    await dialog.getByRole('textbox', { name: 'Engangs' }).fill('125000');
    await page.keyboard.press('Tab');
    await reload();
    await page.keyboard.press('n');
    const values = () => dialog.getByRole('textbox').evaluateAll((all) => all.map(({ value }) => value));
    await expect.poll(values).toContain('Driftsavtale');
    expect((await values()).join(' ')).toMatch(/125\s000/);
    // What was chosen is still chosen: a look at the field does not empty it.
    await dialog.getByRole('combobox', { name: 'Selskap' }).focus();
    await page.keyboard.press('Tab');
    expect(await dialog.getByRole('combobox', { name: 'Selskap' }).inputValue()).toBe(name);
    await dialog.getByRole('button', { name: 'Opprett' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await workspace.client.get('/offers')).body.data.map(({ title }: Row) => title))
      .toEqual(['Driftsavtale']);
    expect(await countDrafts(page)).toBe(0);

    await go('/contacts');
    await page.keyboard.press('n');
    await dialog.getByRole('textbox', { name: 'Navn' }).fill('Kari Berg');
    await dialog.getByRole('textbox', { name: 'E-post' }).fill('kari@berg.example');
    await choose();
    await dialog.getByRole('textbox', { name: 'Rolle' }).fill('Innkjøper');
    await reload();
    await page.keyboard.press('n');
    await expect
      .poll(() => dialog.locator('input').evaluateAll((all) => all.map(({ value }) => value)))
      .toEqual(['Kari Berg', 'kari@berg.example', '', name, 'Innkjøper']);
    await dialog.getByRole('button', { name: 'Avbryt' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await dialog.waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Navn' }).inputValue()).toBe('');
    expect(await countDrafts(page)).toBe(0);
  });

  test('in another form than an older release left it is left out, and the rest is there', async () => {
    const workspace = await world.workspace();
    const { page, open, reload } = await enter(workspace);
    const dialog = page.getByRole('dialog');
    await open('/offers');
    await page.keyboard.press('n');
    await dialog.getByRole('textbox', { name: 'Tittel' }).fill('Driftsavtale');
    await page.evaluate(`for (const key of Object.keys(sessionStorage).filter((it) => it.includes('draft'))) {
      const { values, keys } = JSON.parse(sessionStorage.getItem(key));
      sessionStorage.setItem(key, JSON.stringify({ values: { ...values, once: 5000 }, keys }));
    }`);
    await reload();
    await page.keyboard.press('n');
    await expect
      .poll(() => dialog.getByRole('textbox', { name: 'Tittel' }).inputValue())
      .toBe('Driftsavtale');
    expect(await dialog.getByRole('textbox', { name: 'Engangs' }).inputValue()).toBe('0');
  });

  test('is gone when the person signs out, and is nobody else’s', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open, reload } = await enter(workspace);
    const note = page.getByRole('textbox', { name: 'Nytt notat' });
    await open(`/companies/${orgnr}`);
    await note.fill('Vil ha tilbud');
    const as = async (person: typeof workspace.owner) => {
      const value = await workspace.sessionOf(person);
      await page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
      await reload();
      await note.waitFor();
    };
    await as(workspace.member);
    expect(await note.inputValue()).toBe('');
    await as(workspace.owner);
    expect(await note.inputValue()).toBe('Vil ha tilbud');
    await page.getByRole('button', { name: /^Ola/ }).click();
    await page.getByRole('menuitem', { name: 'Logg ut' }).click();
    await page.waitForURL('**/sign-in');
    expect(await countDrafts(page)).toBe(0);
  });
});

type Row = { title: string };
