import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { columnOf, dropOnNext, entrance, focusedCard, messages, titlesIn } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('moving offers on the board', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test.each([
    ['nb', 'Ny', 'Akseptert', 'Flytt Avtale', 'Angre', 'Vekten er satt til 100'],
    ['en', 'New', 'Accepted', 'Move Avtale', 'Undo', 'Weight set to 100'],
  ] as const)(
    '%s: an offer is accepted by its menu, says its weight, and undo brings it back',
    async (language, from, to, move, undo, text) => {
      const workspace = await world.workspace();
      const { id } = await workspace.offer({ weight: 30, one_time_revenue: 5000 });
      const { page, open } = await enter(workspace, { language });
      await open('/offers');
      await page.getByRole('button', { name: move }).press('Enter');
      // The choices are a named group, and none of them has the arrow of a submenu.
      const choices = page.getByRole('group', { name: /^(?:Flytt til …|Move to…)$/ }).getByRole('menuitem');
      await expect.poll(() => choices.count()).toBe(4);
      await expect.poll(() => choices.locator('svg').count()).toBe(0);
      await page.getByRole('menuitem', { name: to }).press('Enter');
      await expect.poll(() => titlesIn(page, to)).toEqual(['Avtale']);
      await expect.poll(() => messages(page)).toContain(text);
      await expect.poll(() => focusedCard(page)).toBe('Avtale');
      await expect
        .poll(async () => (await workspace.client.get(`/offers/${id}`)).body.data)
        .toMatchObject({
          status: 'accepted',
          weight: 100,
        });
      await page.getByRole('button', { name: undo }).click();
      await expect.poll(() => titlesIn(page, from)).toEqual(['Avtale']);
      await expect
        .poll(async () => (await workspace.client.get(`/offers/${id}`)).body.data)
        .toMatchObject({ status: 'new', weight: 30 });
    },
  );

  test('an offer is dragged with the mouse, and by keyboard alone with the focus kept', async () => {
    const workspace = await world.workspace();
    await workspace.offer();
    const { page, open } = await enter(workspace);
    await open('/offers');
    await columnOf(page, 'Ny').getByRole('row').hover();
    await page.mouse.down();
    await columnOf(page, 'I forhandling').hover();
    // A browser tells where a drag is over and over; the page has to have taken it up before the card is let go.
    await columnOf(page, 'I forhandling').hover({ position: { x: 20, y: 20 } });
    await expect.poll(() => columnOf(page, 'I forhandling').getAttribute('data-drop-target')).toBe('true');
    await page.mouse.up();
    await expect.poll(() => titlesIn(page, 'I forhandling')).toEqual(['Avtale']);
    await expect.poll(() => messages(page)).toContain('flyttet til «I forhandling»');

    await dropOnNext(page, 'I forhandling', 'accepted');
    await expect.poll(() => titlesIn(page, 'Akseptert')).toEqual(['Avtale']);
    await expect.poll(() => focusedCard(page)).toBe('Avtale');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Avtale');
    expect(new URL(page.url()).pathname).toMatch(/^\/offers\/[0-9a-f-]{36}$/);
  });

  test('m opens the menu of the card that has the focus; Escape leaves the focus on its button', async () => {
    const workspace = await world.workspace();
    await workspace.offer();
    const { page, open } = await enter(workspace);
    await open('/offers');
    await columnOf(page, 'Ny').getByRole('row').waitFor();
    await page.keyboard.press('m');
    await page.keyboard.press('j');
    await expect.poll(() => focusedCard(page)).toBe('Avtale');
    await page.keyboard.press('m');
    await focusIn(page.getByRole('menu'));
    await page.keyboard.press('Escape');
    await focusIn(page.getByRole('button', { name: 'Flytt Avtale' }));
    await page.keyboard.press('Enter');
    await focusIn(page.getByRole('menu'));
  });

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
    const text =
      'Nøkkelen «test» flyttet det fra «Ny» til «I forhandling» imens. Flyttingen din ble ikke lagret.';
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

  test('a move after one that failed is undone to where the offer was', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ weight: 30 });
    const { page, open } = await enter(workspace);
    await open('/offers');
    const held = Promise.withResolvers<void>();
    await page.route(
      `**/app/api/offers/${id}`,
      async (route) => {
        await held.promise;
        await route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } });
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Flytt Avtale' }).click();
    await page.getByRole('menuitem', { name: 'Akseptert' }).click();
    await expect.poll(() => titlesIn(page, 'Akseptert')).toEqual(['Avtale']);
    await page.getByRole('button', { name: 'Flytt Avtale' }).click();
    await page.getByRole('menuitem', { name: 'Avslått' }).click();
    held.resolve();
    await page.getByRole('button', { name: 'Angre' }).click();
    const stored = async () => (await workspace.client.get(`/offers/${id}`)).body.data;
    await expect.poll(async () => (await stored()).status).not.toBe('rejected');
    expect(await stored()).toMatchObject({ status: 'new', weight: 30 });
  });
});
