import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

/** What has the focus, by its name. */
function focusedName(page: Page): Promise<string | null> {
  return page.evaluate(
    'document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText',
  );
}

describe.skipIf(CHROMIUM === undefined)('entries of a timeline', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('are one stop of Tab, with arrows between them; each tells its full time and can be deleted', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    for (const text of ['Første', 'Andre', 'Tredje']) {
      await workspace.client.post(`/companies/${orgnr}/notes`, { text });
    }
    const offsets = ['9 days', '8 days', '3 days', '2 days'];
    // At noon: where clocks have changed since, 24 hours are not always the day before.
    for (const [at, offset] of offsets.entries()) {
      await world.query(
        `update timeline_entries set created_at =
           ((now() at time zone 'Europe/Oslo')::date - $2::interval + interval '12 hours') at time zone 'Europe/Oslo'
         where tenant_id = $1 and id = (
           select id from timeline_entries where tenant_id = $1 order by id limit 1 offset $3)`,
        [workspace.id, offset, at],
      );
    }
    const { page, open } = await enter({ world, visit }, workspace);
    await open(`/companies/${orgnr}`);
    await page.getByText('Tredje').waitFor();
    const times = page.getByRole('list').getByRole('note');
    expect(await times.count()).toBe(4);
    expect(await axe(page)).toEqual([]);

    const stops = () => page.locator('.entry [tabindex="0"]').count();
    // The time of the first entry, and its button.
    await expect.poll(stops).toBe(2);
    await times.first().focus();
    expect(await focusedName(page)).toBe('i forgårs');
    await page.keyboard.press('ArrowDown');
    expect(await focusedName(page)).toBe('for 3 dager siden');
    const full = await page.getByRole('tooltip').innerText();
    expect(full).toMatch(/\d{4} kl\. \d\d:\d\d$/);
    const described =
      'document.getElementById(document.activeElement.getAttribute("aria-describedby")).innerText';
    expect(await page.evaluate(described)).toBe(full);
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Slett notatet «Andre»');
    await page.keyboard.press('Shift+Tab');
    expect(await focusedName(page)).toBe('for 3 dager siden');
    await page.keyboard.press('End');
    await expect.poll(stops).toBe(1);
    // Tab leaves the list from the last entry, which has no button, and Shift+Tab comes back to it.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest(".entry")')).toBe(null);
    await page.keyboard.press('Shift+Tab');
    expect(await focusedName(page)).toMatch(/\d{4}$/);
    await page.keyboard.press('Home');
    expect(await focusedName(page)).toBe('i forgårs');
  });
});
