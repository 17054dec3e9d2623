import { describe, expect, test } from 'vitest';
import { focusIn, pressInTurn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance, messages } from './offer-board.ts';
import { focused } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('the keys of tasks', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('are not those of a list or a calendar over an open task', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.task({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Rediger Ansvarlig' }).press('Enter');
    await page.getByRole('button', { name: /^(?!Rediger).*Ansvarlig/ }).press('Enter');
    await focusIn(page.getByRole('listbox'));
    await page.keyboard.press('z');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    expect(await page.getByRole('row', { name: 'Ring' }).count()).toBe(1);

    await page.getByRole('button', { name: 'Rediger Frist' }).press('Enter');
    await page.getByRole('button', { name: 'Velg dag i kalender' }).press('Enter');
    await focusIn(page.getByRole('grid'));
    await page.keyboard.press('Delete');
    await page.keyboard.press('x');
    await page.keyboard.press('Escape');
    await page.getByRole('grid').waitFor({ state: 'detached' });
    expect(await messages(page)).toBe('');
    expect((await workspace.client.get(`/tasks/${id}`)).body.data.completed).toBe(false);
  });

  test('move from row to row, and go to contacts after g', async () => {
    const workspace = await world.workspace();
    await workspace.task({ title: 'Ring', due_date: '2026-01-01T11:00:00Z' });
    await workspace.task({ title: 'Skriv', due_date: '2026-01-02T11:00:00Z' });
    await workspace.company();
    const { page, open } = await enter(workspace);
    await open('/');
    await page.getByRole('row', { name: 'Ring' }).focus();
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toContain('Skriv');
    await page.keyboard.press('k');
    await expect.poll(() => focused(page)).toContain('Ring');
    await pressInTurn(page, 'g k');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/contacts');
  });

  test('are listed with those of the other pages', async () => {
    const { page, open } = await enter(await world.workspace());
    await open('/shortcuts');
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Oppgaver' }) });
    await expect
      .poll(() => section.locator('dl > div').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Fullfør oppgaven\s+X$/),
        expect.stringMatching(/^Rediger oppgaven\s+E$/),
        expect.stringMatching(/^Flytt fristen\s+D$/),
        expect.stringMatching(/^Gi til noen\s+A$/),
        expect.stringMatching(/^Slett oppgaven\s+Del$/),
      ]);
  });

  test('leave the focus in the field for a new task when the first one comes', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByText('Ingen åpne oppgaver').waitFor();
    for (let time = 0; time < 2; time++) {
      await page.keyboard.press('n');
      await page.keyboard.press('Escape');
      await expect.poll(() => focused(page)).toBe('Oppgaver');
    }
    await page.keyboard.press('n');
    await page.keyboard.type('Skriv');
    await workspace.task({ title: 'Ring' });
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    expect(await focused(page)).toBe('Skriv');
  });

  test('open a menu once, or the field where there is none, and another day begins with the due date', async () => {
    const workspace = await world.workspace();
    await workspace.task({ title: 'Ring', due_date: '2026-01-01T11:00:00Z' });
    await workspace.task({ title: 'Skriv', due_date: '2026-01-02T11:00:00Z' });
    const { page, open, show } = await enter(workspace);
    await open('/tasks');
    const row = page.getByRole('row', { name: 'Ring' });
    const menu = page.getByRole('menu');
    const due = page.getByRole('textbox', { name: 'Frist' });
    await row.focus();
    for (const key of ['d', 'a', 'd']) {
      await page.keyboard.press(key);
      await focusIn(menu);
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'detached' });
      await expect.poll(() => focused(page)).toMatch(/^Ring/);
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => focused(page)).toMatch(/^Skriv/);
      await page.keyboard.press('ArrowUp');
      await expect.poll(() => focused(page)).toMatch(/^Ring/);
      expect(await menu.count()).toBe(0);
    }
    await page.keyboard.press('d');
    await page.getByRole('menuitem', { name: 'En annen dag' }).click();
    const field = page.locator('.task-editor').getByRole('textbox', { name: 'Frist' });
    await expect.poll(() => field.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Lukk' }).first().press('Enter');
    await expect.poll(() => focused(page)).toMatch(/^Ring/);
    expect(await menu.count()).toBe(0);

    await show('phone');
    await page.locator('.task-list[data-phone]').waitFor();
    await page.keyboard.press('d');
    await expect.poll(() => due.last().inputValue()).toContain('2026');
    await show('wide');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/^Ring/);
    expect(await menu.count()).toBe(0);
  });

  test('begin the field of an opened task, which begins once', async () => {
    const workspace = await world.workspace();
    await workspace.task({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    await open('/tasks?who=all');
    const row = page.getByRole('row', { name: 'Ring' });
    const editor = page.locator('.task-editor');
    await row.press('Enter');
    await row.press('d');
    await focusIn(editor.getByRole('textbox', { name: 'Frist' }));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await editor.waitFor({ state: 'detached' });
    expect(await page.getByRole('menu').count()).toBe(0);

    await row.press('e');
    await editor.getByRole('textbox', { name: 'Hva skal gjøres' }).waitFor();
    await page.getByRole('button', { name: 'Slett oppgaven' }).click();
    await page.getByText('Slettet: Ring').waitFor();
    await page.getByRole('button', { name: 'Angre' }).last().click();
    await editor.waitFor();
    expect(await editor.getByRole('textbox').count()).toBe(0);
  });

  test('the menu of a row shows once the row has the pointer or the focus', async () => {
    const workspace = await world.workspace();
    await workspace.task({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    await open('/tasks');
    const menu = page.getByRole('row', { name: 'Ring' }).locator('.task-more > .button');
    await menu.waitFor();
    const opacity = () =>
      page.evaluate("getComputedStyle(document.querySelector('.task-more > .button')).opacity");
    await expect.poll(opacity).toBe('0');
    await page.keyboard.press('j');
    await expect.poll(opacity).toBe('1');
  });
});
