import { describe, expect, test } from 'vitest';
import { axe, CHROMIUM, useBrowser } from '../browser.ts';
import { createWorld } from '../world.ts';
import { columnOf, entrance, messages, titlesIn } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('moves that do not go through', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('what another did meanwhile is explained, and the card shows it; a move that fails is put back', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const { page, open } = await enter(workspace);
    // Nothing comes from other people until the move is tried.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    await open('/offers');
    await page.getByRole('button', { name: 'Flytt Avtale' }).waitFor();
    await workspace.client.patch(`/offers/${id}`, { status: 'negotiating', title: 'Ny avtale' });

    await page.getByRole('button', { name: 'Flytt Avtale' }).click();
    await page.getByRole('menuitem', { name: 'Sendt' }).click();
    await expect.poll(() => titlesIn(page, 'I forhandling')).toEqual(['Ny avtale']);
    const text = 'Nøkkelen test flyttet det fra ny til i forhandling imens. Flyttingen din ble ikke lagret.';
    await expect.poll(() => messages(page)).toContain(text);
    await expect.poll(() => columnOf(page, 'I forhandling').getByRole('row').textContent()).toContain(text);
    expect(await axe(page)).toEqual([]);

    await page.route('**/app/api/offers/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } })
        : route.fallback(),
    );
    await page.getByRole('button', { name: 'Flytt Ny avtale' }).click();
    await page.getByRole('menuitem', { name: 'Sendt' }).click();
    await expect.poll(() => messages(page)).toContain('Tjenesten er utilgjengelig');
    await expect.poll(() => titlesIn(page, 'I forhandling')).toEqual(['Ny avtale']);
  });
});
