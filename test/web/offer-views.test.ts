import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance, focusedCard, titlesIn } from './offer-board.ts';

const MOST = Number.MAX_SAFE_INTEGER;

async function showAsTable(page: Page) {
  await page.getByRole('button', { name: 'Vis som tabell' }).click();
  // 33 % of the amount and of twelve times it.
  await expect
    .poll(() => page.getByRole('table').first().textContent())
    .toContain('38\u00A0640\u00A0884\u00A0802\u00A0838\u00A0851\u00A0kr');
}

describe.skipIf(CHROMIUM === undefined)('views of offers', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('axe finds nothing on board, list, sums and their empty states, and no card breaks, wide and on a phone', async () => {
    const workspace = await world.workspace();
    const { page, open, show } = await enter(workspace);
    await open('/offers');
    await page.getByText('Her kommer tilbudene deres').waitFor();
    expect(await axe(page)).toEqual([]);
    await show('phone');
    expect(await axe(page)).toEqual([]);
    await show('wide');

    const company = await workspace.company();
    await workspace.task({ related_company_id: company.id, title: 'Ring '.repeat(50).trim() });
    const amounts = { one_time_revenue: MOST, recurring_revenue: MOST };
    await workspace.offer({ ...amounts, company_id: company.id, title: 'lang'.repeat(63), weight: 33 });
    // Shown without a reload: from the change log.
    const card = page.locator('.offer-card');
    await card.waitFor();
    for (const screen of ['wide', 'phone'] as const) {
      await show(screen);
      for (const view of ['Liste', 'Summer', 'Tavle']) {
        const link = page.getByRole('navigation', { name: 'Visninger' }).getByRole('link', { name: view });
        await link.click();
        await expect.poll(() => link.getAttribute('aria-current')).not.toBeNull();
        await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
        if (view === 'Summer') await showAsTable(page);
        expect([screen, view, await axe(page)]).toEqual([screen, view, []]);
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
          .toBe(0);
      }
      await expect
        .poll(() =>
          card.evaluate(
            ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
              scrollWidth - clientWidth,
          ),
        )
        .toBe(0);
      // Each amount is on one line.
      const heights = await card
        .locator('.offer-amount > span')
        .evaluateAll((all: { offsetHeight: number }[]) => all.map(({ offsetHeight }) => offsetHeight));
      expect([screen, heights.length, ...new Set(heights)]).toEqual([screen, 2, expect.any(Number)]);
    }
    // Where the board is wider than the window, it scrolls and the page does not.
    await page.setViewportSize({ width: 800, height: 700 });
    await page.getByText('Siste 30 dager').first().waitFor();
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
      .toBe(0);
  });

  test('a phone shows one column at a time, and a move leaves the focus where one was', async () => {
    const workspace = await world.workspace();
    await workspace.offer({ title: 'Første' });
    await workspace.offer({ title: 'Andre' });
    const { page, open } = await enter(workspace, { screen: 'phone' });
    await open('/offers');
    await page.getByRole('button', { name: /^Flytt Første, .+/ }).tap();
    await page.getByRole('menuitem', { name: 'Sendt' }).tap();
    await expect.poll(() => titlesIn(page, 'Ny')).toEqual(['Andre']);
    await expect.poll(() => focusedCard(page)).toBe('Andre');
    await page.getByRole('tab', { name: /^Sendt/ }).click();
    await expect.poll(() => titlesIn(page, 'Sendt')).toEqual(['Første']);
  });

  test('j and k move in a column, from anywhere to the first card', async () => {
    const workspace = await world.workspace();
    await workspace.offer({ title: 'Andre' });
    await workspace.offer({ title: 'Første' });
    const { page, open } = await enter(workspace);
    await open('/offers');
    await expect.poll(() => titlesIn(page, 'Ny')).toHaveLength(2);
    const [first, second] = await titlesIn(page, 'Ny');
    for (const [key, title] of [
      ['j', first],
      ['j', second],
      ['j', second],
      ['k', first],
      ['k', first],
    ]) {
      await page.keyboard.press(key!);
      await expect.poll(() => focusedCard(page)).toBe(title);
    }
  });

  test.each(['wide', 'phone'] as const)(
    '%s: a column has its place before its cards come',
    async (screen) => {
      const workspace = await world.workspace();
      await workspace.offer();
      const { page, open } = await enter(workspace, { screen });
      const held = Promise.withResolvers<void>();
      await page.route('**/app/api/offers/board?*', async (route) => {
        await held.promise;
        await route.continue();
      });
      await open('/offers');
      const skeleton = page.locator('.skeleton').first();
      await skeleton.waitFor();
      const { x, y } = (await skeleton.boundingBox())!;
      held.resolve();
      const card = page.locator('.column-item').first();
      await card.waitFor();
      expect(await card.boundingBox()).toMatchObject({ x, y });
    },
  );
});
