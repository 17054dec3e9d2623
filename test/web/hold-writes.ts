import type { Page } from 'playwright-core';

/** Changes wait until they are let go, with a status to fail or without. */
export async function holdWrites(page: Page) {
  const held = Promise.withResolvers<number | undefined>();
  const asked = page.waitForRequest((request) => request.method() !== 'GET');
  await page.route('**/app/api/**', async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    const status = await held.promise;
    if (status === undefined) return route.continue();
    return route.fulfill({ status, json: { error: 'Busy', code: 'temporarily_unavailable' } });
  });
  return { asked, letGo: held.resolve };
}
