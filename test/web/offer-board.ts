import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { OfferStatus } from '../../src/offers/card-schema.ts';
import type { Workspace } from '../workspace.ts';
import type { Screen, Visit } from '../browser.ts';
import type { World } from '../world.ts';

type Options = { screen?: Screen; language?: 'nb' | 'en' };

/** Opens a browser in which the owner of a workspace is signed in; English is a choice of the profile. */
export function entrance(
  world: World,
  visit: (origin: string, options?: { screen?: Screen }) => Promise<Visit>,
): (workspace: Workspace, options?: Options) => Promise<Visit> {
  return async (workspace, { language, ...options } = {}) => {
    const token = await workspace.sessionOf();
    if (language === 'en') {
      await world.query(`update users set language = 'en' where id = $1`, [workspace.owner.id]);
    }
    const visited = await visit(world.origin, options);
    await visited.page.context().addCookies([{ name: 'kundebok_session', value: token, url: world.origin }]);
    return visited;
  };
}

/** A column of the board, by its status as the page calls it. */
export function columnOf(page: Page, status: string) {
  return page.getByRole('grid', { name: new RegExp(`^${status}, `) });
}

export function titlesIn(page: Page, status: string) {
  return columnOf(page, status).locator('.offer-card-title').allTextContents();
}

/** The title of the card that has the focus, or is around what has it. */
export function focusedCard(page: Page) {
  return page.evaluate(
    "document.activeElement.closest('[role=row]')?.querySelector('.offer-card-title').textContent",
  );
}

export function messages(page: Page) {
  return page.locator('.toasts').textContent();
}

/** Drags the card of a column by keyboard, and drops it on the column after it. */
export async function dropOnNext(page: Page, column: string, next: OfferStatus): Promise<void> {
  await columnOf(page, column).getByRole('row').focus();
  await page.keyboard.press('Tab');
  await expect
    .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
    .toMatch(/^Dra Avtale, .+/);
  await page.keyboard.press('Enter');
  const over = "document.activeElement.closest('.column')?.dataset.status";
  await expect.poll(() => page.evaluate(over)).toBe(next);
  await page.keyboard.press('Enter');
}
