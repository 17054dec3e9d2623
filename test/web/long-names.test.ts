import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

/** How far what a page shows goes beyond its right edge. */
const BEYOND = `(() => {
  const { scrollWidth, clientWidth } = document.querySelector('.page-body');
  return scrollWidth - clientWidth;
})()`;

describe.skipIf(CHROMIUM === undefined)('what is long', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('stays on the screen and within its row on the tabs of a company', async () => {
    const workspace = await world.workspace();
    const { owner } = workspace;
    await world.query('update users set first_name = $2, last_name = $3 where id = $1', [
      owner.id,
      'x'.repeat(90),
      'y'.repeat(90),
    ]);
    const { id, orgnr } = await workspace.company();
    await workspace.offer({
      title: 'W'.repeat(200),
      company_id: id,
      user_id: owner.id,
      one_time_revenue: 999_999_999_999_999,
      recurring_revenue: 999_999_999_999_999,
    });
    const { page, open, go, show } = await enter({ world, visit }, workspace, { screen: 'phone' });
    await open(`/companies/${orgnr}`);
    await page.getByText('la til selskapet').waitFor();
    expect.soft(await page.evaluate(BEYOND)).toBe(0);
    await go('/companies');
    await go(`/companies/${orgnr}?tab=offers`);
    const row = page.locator('.company-row');
    await row.getByText('y'.repeat(90)).waitFor();
    expect.soft(await page.evaluate(BEYOND)).toBe(0);
    await show('wide');
    const end = await row.locator('.person').boundingBox();
    const whole = await row.boundingBox();
    expect(end!.x + end!.width).toBeLessThanOrEqual(whole!.x + whole!.width + 1);
  });

  test('wraps after the sign or a dot of an address in the details of a company', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await world.query('update companies set email_address = $2, website_url = $3 where orgnr = $1', [
      orgnr,
      'kundeservice@nordlysbygg.no',
      'https://www.nordlysbygg.no',
    ]);
    const { page, open } = await enter({ world, visit }, workspace);
    await open(`/companies/${orgnr}`);
    const shown = page.locator('.company-aside .edit-shown').filter({ hasText: '.no' });
    await expect.poll(() => shown.count()).toBe(2);
    expect(await shown.evaluateAll((all) => all.map((one) => one.innerText))).toEqual([
      'kundeservice@nordlysbygg.no',
      'https://www.nordlysbygg.no',
    ]);
    const broken = await page.evaluate(`[...document.querySelectorAll('.company-aside .edit-shown')]
      .flatMap((one) => [...one.childNodes])
      .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      .filter((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        return range.getClientRects().length > 1;
      })
      .map(({ data }) => data)`);
    expect(broken).toEqual([]);
  });

  test('leaves the heading of the tasks in one line on the narrowest phone', async () => {
    const { page, open } = await enter({ world, visit }, await world.workspace(), { screen: 'phone' });
    await page.setViewportSize({ width: 320, height: 640 });
    await open('/tasks');
    await page.getByText('Mine').waitFor();
    const lines = `(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('h1'));
      return range.getClientRects().length;
    })()`;
    expect(await page.evaluate(lines)).toBe(1);
  });

  test('leaves what is chosen in a field of a new offer whole on the narrowest phone', async () => {
    const { page, open } = await enter({ world, visit }, await world.workspace(), { screen: 'phone' });
    await page.setViewportSize({ width: 320, height: 640 });
    await open('/offers');
    await page.getByRole('button', { name: 'Nytt tilbud' }).first().click();
    const chosen = page.getByRole('button', { name: 'Hyppighet' }).locator('.truncate');
    await chosen.waitFor();
    const cut = await chosen.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(cut).toBe(0);
  });
});
