import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('after filters that found nothing', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test.each([
    ['offers?tab=list&user_id=', 'Ingen tilbud passer', 'offers?tab=list', 'Her kommer'],
    ['offers?user_id=', 'Ingen tilbud', 'offers', 'Her kommer'],
    ['offers?tab=sums&user_id=', 'Eieren har ingen', 'offers?tab=sums', 'Summene vises'],
    ['tasks?tab=overdue&who=', 'Ingenting her', 'tasks?tab=today', 'Ingenting her'],
    ['settings/history?resource=task&by=', 'Ingen endringer passer', 'settings/history', 'Her kommer'],
  ])('of %s, nothing is said of the next ones before their answer', async (empty, says, next, untrue) => {
    const workspace = await world.workspace();
    await workspace.offer();
    const { page, open } = await enter(workspace);
    await open(`/${empty}${workspace.member.id}`);
    await page.getByText(says).first().waitFor();
    const path = next.startsWith('settings') ? 'history' : next.split('?')[0]!;
    await page.route(new RegExp(`/app/api/${path}\\b`), () => undefined);
    await page.evaluate(`history.pushState(null, '', '/${next}')`);
    await page.locator('.skeleton').first().waitFor();
    expect(await page.getByText(untrue).count()).toBe(0);
  });
});
