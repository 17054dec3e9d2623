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
});
