import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { SLOW_PAGES } from '../slow-pages.ts';
import { createWorld, type Workspace } from '../world.ts';
import { entrance, focusedCard } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('a board of many offers', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  /** More than the board shows of a column at first. */
  async function addSixty(workspace: Workspace): Promise<void> {
    const { id } = await workspace.offer();
    await world.query(
      `insert into offers (tenant_id, id, title, company_id, user_id, status, one_time_revenue, recurring_revenue,
         recurring_frequency, weight, updated_at, status_since)
       select tenant_id, gen_random_uuid(), 'Tilbud ' || n, company_id, user_id, status, 1, 0, recurring_frequency,
         weight, updated_at, status_since + n * interval '1 second'
       from offers, generate_series(2, 60) as n where id = $1`,
      [id],
    );
  }

  test.each(['at once', 'late'])(
    'more of a column keeps the focus: on the button while it is read, then on the first card that it brings; it is rendered %s',
    async (when) => {
      const workspace = await world.workspace();
      await addSixty(workspace);
      const { page, open, runFirst } = await enter(workspace);
      if (when === 'late') await runFirst(SLOW_PAGES.rendering);
      await open('/offers');
      const held = Promise.withResolvers<void>();
      await page.route('**/app/api/offers/board?*limit=100*', async (route) => {
        await held.promise;
        await route.continue();
      });
      const more = page.getByRole('button', { name: 'Vis flere' });
      await more.focus();
      await more.press('Enter');
      await expect.poll(() => more.getAttribute('aria-disabled')).toBe('true');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Vis flere');
      held.resolve();
      await expect.poll(() => focusedCard(page)).toBe('Tilbud 51');
      expect(await more.count()).toBe(0);
    },
  );

  test('after a failure to show more, what was there is shown again; of another owner, offline, nothing', async () => {
    const workspace = await world.workspace();
    await addSixty(workspace);
    const { page, open } = await enter(workspace);
    await open('/offers');
    const more = page.getByRole('button', { name: 'Vis flere' });
    await page.route('**/app/api/offers/board?*limit=100*', (route) => route.abort());
    await more.click();
    await page.getByRole('button', { name: 'Prøv igjen' }).click();
    const cards = page.locator('.offer-card-title');
    await cards.first().waitFor();
    await page.unroute('**/app/api/offers/board?*limit=100*');
    await more.click();
    await expect.poll(() => focusedCard(page)).toBe('Tilbud 51');
    await page.context().setOffline(true);
    await page.getByText('Du er frakoblet').waitFor();
    await page.evaluate(`history.pushState(null, '', '/offers?user_id=${workspace.member.id}')`);
    await page.locator('.skeleton').first().waitFor();
    expect(await cards.count()).toBe(0);
    await page.context().setOffline(false);
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  });
});
