import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

const world = await createWorld();
const enter = entrance(world, useBrowser({ fresh: true }));

describe.skipIf(CHROMIUM === undefined)('a list that was not read before', () => {
  test.for([
    ['/tasks?who=all', '/tasks?who=all&tab=done'],
    ['/companies', '/companies?status=customer'],
    ['/offers?tab=list', '/offers?tab=list&status=sent'],
    ['/offers', `/offers?user_id=${randomUUID()}`],
  ] as const)(
    'shows offline no rows of the one that was there before: %s, then %s',
    async ([read, unread]) => {
      const workspace = await world.workspace();
      const { name, id } = await workspace.company();
      await workspace.task({ title: name });
      await workspace.offer({ title: name, company_id: id });
      const { page, open } = await enter(workspace);
      await open(read);
      const rows = page.getByRole('main').getByText(name);
      await rows.first().waitFor();
      await page.context().setOffline(true);
      await page.getByText('Du er frakoblet').waitFor();
      await page.evaluate(`history.pushState(null, '', '${unread}')`);
      await page.locator('.skeleton').first().waitFor();
      expect(await rows.count()).toBe(0);
      await page.getByText('resten lastes når nettet er tilbake').waitFor();
      await page.context().setOffline(false);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    },
  );
});
