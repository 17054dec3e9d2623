import { describe, expect, test } from 'vitest';
import { focusIn, settle, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { holdWrites } from './hold-writes.ts';
import { dropOnNext, entrance, focusedCard, titlesIn } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('the focus on a card that is moved', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('a card whose move fails late takes its focus back with it', async () => {
    const workspace = await world.workspace();
    await workspace.offer();
    const { page, open } = await enter(workspace);
    await open('/offers');
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/offers/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      await held.promise;
      return route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } });
    });
    await page.getByRole('button', { name: 'Flytt Avtale' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Sendt' }).press('Enter');
    await expect.poll(() => titlesIn(page, 'Sendt')).toEqual(['Avtale']);
    await settle(page);
    expect(await focusedCard(page)).toBe('Avtale');
    held.resolve();
    await expect.poll(() => titlesIn(page, 'Ny')).toEqual(['Avtale']);
    await expect.poll(() => focusedCard(page)).toBe('Avtale');
  });

  test('a card dropped by keyboard keeps its focus, however late it is shown where it was dropped', async () => {
    const workspace = await world.workspace();
    await workspace.offer();
    const { page, open } = await enter(workspace);
    await open('/offers');
    const held = Promise.withResolvers<void>();
    // The second move is shown once the first has been answered.
    let isFirst = true;
    await page.route('**/app/api/offers/*', async (route) => {
      // Only the first move is held, not what is read.
      if (isFirst && route.request().method() === 'PATCH') {
        isFirst = false;
        await held.promise;
      }
      await route.fallback();
    });
    await page.getByRole('button', { name: 'Flytt Avtale' }).press('Enter');
    await page.getByRole('menuitem', { name: 'I forhandling' }).press('Enter');
    await expect.poll(() => titlesIn(page, 'I forhandling')).toEqual(['Avtale']);
    await settle(page);
    await dropOnNext(page, 'I forhandling', 'accepted');
    await settle(page);
    expect(await titlesIn(page, 'I forhandling')).toEqual(['Avtale']);
    expect(await focusedCard(page)).toBe('Avtale');
    held.resolve();
    await expect.poll(() => titlesIn(page, 'Akseptert')).toEqual(['Avtale']);
    await expect.poll(() => focusedCard(page)).toBe('Avtale');
    await settle(page);
    expect(await focusedCard(page)).toBe('Avtale');
  });

  test('a status is chosen in the open list alone: a letter on the closed one saves nothing', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Status' }).press('Enter');
    const list = page.getByRole('button', { name: /Status/ });
    // The keys of the application go through.
    await list.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Rediger Status' }).press('Enter');
    for (const key of ['a', 'v', 'ArrowRight']) await list.press(key);
    await list.press('Enter');
    await focusIn(page.getByRole('listbox'));
    await page.keyboard.type('av');
    await page.keyboard.press('Enter');
    const offer = async () => (await workspace.client.get(`/offers/${id}`)).body.data;
    await expect.poll(offer).toMatchObject({ status: 'rejected' });
    const { data } = (await workspace.client.get('/changes')).body;
    expect(data.filter(({ action }: { action: string }) => action === 'updated')).toHaveLength(1);
  });

  test('undoing an acceptance gives back the weight that was saved just before', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ weight: 50 });
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Vekt' }).click();
    await page.getByRole('textbox', { name: 'Vekt' }).fill('80');
    const { asked, letGo } = await holdWrites(page);
    await page.keyboard.press('Enter');
    await asked;
    await page.getByRole('button', { name: 'Rediger Status' }).click();
    await page.getByRole('button', { name: /Status/ }).click();
    await page.getByRole('option', { name: 'Akseptert' }).click();
    letGo(undefined);
    const offer = async () => (await workspace.client.get(`/offers/${id}`)).body.data;
    await expect.poll(offer).toMatchObject({ status: 'accepted', weight: 100 });
    await page.getByRole('button', { name: 'Angre' }).click();
    await expect.poll(offer).toMatchObject({ status: 'new', weight: 80 });
  });
});
