import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter as enterIn } from './enter.ts';
import { BAD_GATEWAY, loseAnswer, pressUntilTaken } from './lose-answer.ts';
import { messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('a write whose answer was lost', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  test('says that a key may have been created, which is not shown again', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    await open('/developers');
    await loseAnswer(page, '**/app/api/keys');
    await page.getByRole('button', { name: 'Lag prøvenøkkel' }).click();
    await expect.poll(() => messages(page)).toContain('Nøkkelen kan likevel være opprettet');
    await open('/settings/keys');
    await page.getByRole('rowheader', { name: 'Prøvenøkkel' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Navn' }).fill('Nettbutikken');
    await page.getByRole('checkbox').first().check({ force: true });
    await loseAnswer(page, '**/app/api/keys', BAD_GATEWAY);
    await page.getByRole('dialog').getByRole('button', { name: 'Opprett nøkkel' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nøkkelen kan likevel være opprettet').waitFor();
    await dialog.getByRole('button', { name: 'Avbryt' }).click();
    await page.getByRole('rowheader', { name: 'Nettbutikken' }).waitFor();
  });

  test('says that a key may have been rotated, and what to do', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    await open('/settings/keys');
    await page.getByRole('button', { name: 'Valg for test' }).click();
    await page.getByRole('menuitem', { name: 'Bytt …' }).click();
    await loseAnswer(page, '**/app/api/keys/*/rotate');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Bytt nøkkel' }).click();
    await dialog.getByText('Nøkkelen kan likevel være byttet').waitFor();
    await dialog.getByRole('button', { name: 'Avbryt' }).click();
    await expect.poll(() => page.getByText('Byttes ut').count()).toBe(1);
  });

  test('is saved, and the message says so, even while lists cannot be fetched again', async () => {
    const workspace = await world.workspace();
    const { name } = await workspace.company();
    const { page, open, go } = await enter(workspace);
    const lists = /\/app\/api\/(tasks|offers)(?!\/[\da-f-]{36}$)\W/;
    const readNothing = () =>
      page.route(lists, (route) => (route.request().method() === 'GET' ? undefined : route.fallback()));
    await open('/tasks');
    await page.getByText('Ingen åpne oppgaver').waitFor();
    await readNothing();
    await loseAnswer(page, '**/app/api/tasks');
    const field = page.getByRole('textbox', { name: 'Ny oppgave' });
    await field.fill('Ring Kari');
    await field.press('Enter');
    await expect.poll(() => messages(page)).toContain('Får ikke kontakt');
    await pressUntilTaken(field);
    await expect.poll(() => messages(page)).toContain('Lagt til: Ring Kari');

    await page.unroute(lists);
    await go('/offers');
    await page.getByText('Her kommer tilbudene deres').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Drift');
    await page.getByRole('combobox', { name: 'Selskap' }).fill(name);
    await page.getByRole('option', { name }).click();
    await readNothing();
    await page.getByRole('button', { name: 'Opprett' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
