import type { Page } from 'playwright-core';

/** How many drafts the tab keeps. */
export function countDrafts(page: Page): Promise<number> {
  return page.evaluate("Object.keys(sessionStorage).filter((it) => it.includes('draft')).length");
}
