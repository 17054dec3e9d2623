import type { Page } from 'playwright-core';

/** The next such write reaches the service, and its answer does not come. */
export async function loseAnswer(page: Page, path: string): Promise<{ isLost: boolean }> {
  const lost = { isLost: false };
  await page.route(path, async (route) => {
    if (lost.isLost || route.request().method() === 'GET') return route.fallback();
    await route.fetch();
    await route.abort();
    lost.isLost = true;
  });
  return lost;
}
