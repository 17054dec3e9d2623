import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { columnOf, entrance, messages, titlesIn } from './offer-board.ts';

/** Holds the changes of a record. @returns a function that lets them go */
async function hold(page: Page, id: string): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(`**/app/api/*/${id}`, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held.resolve;
}

describe.skipIf(CHROMIUM === undefined)('a change that is not answered yet', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('does not bring back a task when another change is answered', async () => {
    const workspace = await world.workspace();
    const task = await workspace.task({ title: 'Ring' });
    await workspace.task({ title: 'Skriv' });
    const { page, open } = await enter(workspace);
    await open('/tasks');
    const letGo = await hold(page, task.id);
    const rows = page.locator('.task-title');
    for (const title of ['Ring', 'Skriv']) {
      await page.getByRole('checkbox', { name: `Fullfør ${title}` }).click();
      await page.getByRole('row', { name: title }).waitFor({ state: 'detached' });
    }
    await page.getByText('Fullført: Skriv').waitFor();
    // Another task comes with an answer that knows nothing of the change that is under way.
    await workspace.task({ title: 'Betal' });
    await page.getByRole('row', { name: 'Betal' }).waitFor();
    expect(await rows.allTextContents()).toEqual(['Betal']);
    letGo();
    await page.getByText('Fullført: Ring').waitFor();
    await expect.poll(() => rows.allTextContents()).toEqual(['Betal']);
  });

  test('leaves a card where it was moved, and is waited for by its next move, also after another page', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const { page, open } = await enter(workspace);
    const move = async (to: string) => {
      await page.getByRole('button', { name: 'Flytt Avtale' }).click();
      await page.getByRole('menuitem', { name: to }).click();
      await expect.poll(() => titlesIn(page, to)).toEqual(['Avtale']);
    };
    await open('/offers');
    let letGo = await hold(page, id);
    await move('Sendt');
    await workspace.offer({ title: 'Drift' });
    await columnOf(page, 'Ny').getByRole('row', { name: 'Drift' }).waitFor();
    expect(await titlesIn(page, 'Sendt')).toEqual(['Avtale']);
    letGo();
    await expect.poll(() => messages(page)).toContain('flyttet til «Sendt»');
    await expect.poll(() => titlesIn(page, 'Sendt')).toEqual(['Avtale']);

    letGo = await hold(page, id);
    await move('I forhandling');
    for (const name of ['Kontakter', 'Tilbud']) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    await page.getByRole('button', { name: 'Flytt Avtale' }).click();
    await page.getByRole('menuitem', { name: 'Avslått' }).click();
    letGo();
    const status = async () => (await workspace.client.get(`/offers/${id}`)).body.data.status;
    await expect.poll(status).toBe('rejected');
    await expect.poll(() => titlesIn(page, 'Avslått')).toEqual(['Avtale']);
    expect(await messages(page)).not.toContain('ble ikke lagret');
  });
});
