import { describe, expect, test } from 'vitest';
import { axe, useBrowser, type Screen } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { dated, noonIn } from './due-days.ts';
import { enterAs } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('tasks', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function enter(workspace: Workspace, options: { screen?: Screen; person?: Workspace['owner'] } = {}) {
    const { person, ...rest } = options;
    const prepare = await enterAs(workspace, world.origin, person);
    return visit(world.origin, { ...rest, prepare });
  }

  test('are edited in place; what somebody else changed meanwhile is seen before it is written over', async () => {
    const workspace = await world.workspace();
    const task = await dated(workspace, 'Ring', 0);
    const { page, open } = await enter(workspace);
    // No news from the server: what the page shows stays as it was read.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    await open('/tasks');
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Ring Kari');
    await workspace.client.patch(`/tasks/${task.id}`, { description: 'Ny avtale' });
    await page.keyboard.press('Enter');
    await page.getByText('Noen andre har endret dette imens').waitFor();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Hva skal gjøres' }).inputValue())
      .toBe('Ring Kari');
    await page.getByText('Ny avtale').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('Lagret').waitFor();
    const { data } = (await workspace.client.get(`/tasks/${task.id}`)).body;
    expect([data.title, data.description]).toEqual(['Ring Kari', 'Ny avtale']);
  });

  test('nobody is blamed for what the person did, or for what the page showed before the edit', async () => {
    const workspace = await world.workspace();
    const task = await dated(workspace, 'Ring', 0);
    const now = async () => (await workspace.client.get(`/tasks/${task.id}`)).body.data;
    const { page, open } = await enter(workspace);
    await open('/tasks');
    const title = page.getByRole('textbox', { name: 'Hva skal gjøres' });
    const rename = async (text: string) => {
      await page.getByRole('button', { name: 'Rediger Hva skal gjøres' }).click();
      await title.fill(text);
      await title.press('Enter');
    };
    await page.getByRole('row', { name: 'Ring' }).press('d');
    // The row is opened and edited before the new day is stored.
    const held = Promise.withResolvers<void>();
    let isFirst = true;
    await page.route('**/app/api/tasks/*', async (route) => {
      // Only the first change is held, not what is read.
      if (isFirst && route.request().method() === 'PATCH') {
        isFirst = false;
        await held.promise;
      }
      await route.continue();
    });
    await page.getByRole('menuitem', { name: 'I morgen' }).press('Enter');
    await page.getByRole('row', { name: /Ring .*i morgen/ }).press('Enter');
    await rename('Ring Kari');
    held.resolve();
    await page.getByText('Lagret').waitFor();

    await page.getByRole('button', { name: 'Rediger Frist' }).click();
    await page.locator('.task-editor').getByRole('textbox', { name: 'Frist' }).fill('om 3 dager');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await now()).due_date.slice(0, 10)).toBe(noonIn(3).slice(0, 10));

    await workspace.client.patch(`/tasks/${task.id}`, { description: 'Ny avtale' });
    await page.getByText('Ny avtale').waitFor();
    await rename('Ring Per');
    await expect.poll(async () => (await now()).title).toBe('Ring Per');
    await page.getByRole('button', { name: 'Lukk' }).first().press('Enter');
    const row = page.getByRole('row', { name: 'Ring Per' });
    await row.press('d');
    await page.getByRole('menuitem', { name: 'I dag' }).press('Enter');
    await page.getByText('Fristen er i dag').waitFor();
    await row.press('Enter');
    await page.getByRole('button', { name: 'Angre' }).last().click();
    await page.getByText('Angret').waitFor();
    await rename('Ring Anne');
    await expect.poll(async () => (await now()).title).toBe('Ring Anne');
  });

  test('a tab stays while it is the current one, and what is done can be reopened', async () => {
    const workspace = await world.workspace();
    await dated(workspace, 'Ring', 1);
    const { page, open } = await enter(workspace);
    await open('/tasks?tab=tomorrow');
    await page.getByRole('row', { name: 'Ring' }).press('x');
    await page.getByText('Ingenting her.').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Når' });
    await expect.poll(() => tabs.locator('[aria-current=page]').innerText()).toMatch(/^I morgen\s*0$/);
    await page.getByRole('link', { name: 'Fullført' }).click();
    await page.getByRole('row', { name: 'Ring' }).hover();
    await page.getByRole('button', { name: 'Handlinger for Ring' }).click();
    await page.getByRole('menuitem', { name: 'Gjenåpne' }).click();
    await page.getByText('Åpnet igjen: Ring').waitFor();
  });
});
