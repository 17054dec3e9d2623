import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('formats of dates and amounts', async () => {
  const world = await createWorld();
  const visit = useBrowser({ fresh: true });

  test('are made once for a page, however many cards and rows show them', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.company();
    await Promise.all(
      Array.from({ length: 20 }, () => workspace.offer({ company_id: id, user_id: workspace.owner.id })),
    );
    const { page, open, runFirst } = await enter({ world, visit }, workspace);
    // Lists of words are formatted by nothing else.
    await runFirst(`{
      const { ListFormat } = Intl;
      globalThis.made = 0;
      Intl.ListFormat = new Proxy(ListFormat, {
        construct(target, given) {
          globalThis.made += 1;
          return new target(...given);
        },
      });
    }`);
    await open('/offers');
    await expect.poll(() => page.locator('.offer-card').count()).toBe(20);
    // At most once more than there are languages and time zones: those of the session come after those of the browser.
    expect(await page.evaluate('globalThis.made')).toBeLessThanOrEqual(2);
  });

  test('show as they are the first and the last day, which programs send for "no date"', async () => {
    const workspace = await world.workspace();
    const task = async (title: string, due_date: string) => {
      await workspace.task({ title, due_date, has_time_specified: false });
      await workspace.task({ title, due_date, has_time_specified: true });
    };
    await task('Ring', '0001-01-01T00:00:00Z');
    await task('Skriv', '9999-12-31T23:59:59.999Z');
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/tasks');
    const dues = page.getByRole('row').locator('time');
    await expect.poll(() => dues.count()).toBe(4);
    expect(await dues.allTextContents()).toEqual([
      '1. jan. 1',
      '1. jan. 1',
      '1. jan. 10000',
      '1. jan. 10000',
    ]);
    expect(await dues.evaluateAll((all) => all.map(({ title }) => title))).toEqual([
      '1. jan. 1',
      // In local mean time, because there were no time zones then.
      expect.stringMatching(/^mandag 1\. januar 1 kl\. 00:/),
      '1. jan. 10000',
      'lørdag 1. januar 10000 kl. 00:59',
    ]);
  });
});
