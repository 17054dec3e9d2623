import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enterAs } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('what others change', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('shows in every tab of a browser, of which one waits for it, and another once that is closed', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const prepare = await enterAs(workspace, world.origin);
    const { page: first, open } = await visit(world.origin, { prepare });
    const waits = new Map<Page, number>();
    first.context().on('request', (request) => {
      if (!/\/changes\?.*wait=25/.test(request.url())) return;
      const page = request.frame().page();
      waits.set(page, (waits.get(page) ?? 0) + 1);
    });
    const pages = [first];
    await open(`/companies/${orgnr}`);
    await expect.poll(() => waits.get(first)).toBe(1);
    for (let count = 1; count < 3; count++) {
      const page = await first.context().newPage();
      await page.goto(`/companies/${orgnr}`);
      await page.locator('h1').first().waitFor();
      pages.push(page);
    }

    /** Somebody writes a note, and all these pages show it. */
    async function note(text: string, shownBy: readonly Page[]): Promise<void> {
      await workspace.client.post(`/companies/${orgnr}/notes`, { text });
      await Promise.all(shownBy.map((page) => page.getByText(text).waitFor()));
    }

    await note('Ringte', pages);
    await note('Ringte igjen', pages);
    expect([...waits.keys()]).toEqual([first]);
    await first.close();
    const others = pages.slice(1);
    await expect.poll(() => others.filter((page) => waits.has(page)).length).toBe(1);
    await note('Ringte en gang til', others);
    expect(others.filter((page) => waits.has(page))).toHaveLength(1);
  });

  test('names a colleague who is new as soon as something is theirs', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const prepare = await enterAs(workspace, world.origin);
    const { page, open } = await visit(world.origin, { prepare });
    await open('/companies');
    const row = page.getByRole('row').filter({ has: page.getByRole('link') });
    await row.first().waitFor();
    const nora = await workspace.addMember({ first_name: 'Nora', last_name: 'Vik' });
    await workspace.client.patch(`/companies/${orgnr}`, { assigned_to: nora.id });
    await expect.poll(() => row.getByText('Nora Vik').count()).toBe(1);
  });
});
