import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';

/**
 * The next write to `path` reaches the service, and its answer does not come.
 * @param instead what comes in its place, such as the answer of a proxy
 */
export async function loseAnswer(
  page: Page,
  path: string,
  instead?: { status: number; body: string },
): Promise<{ isLost: boolean }> {
  const lost = { isLost: false };
  await page.route(path, async (route) => {
    if (lost.isLost || route.request().method() === 'GET') return route.fallback();
    await route.fetch();
    await (instead ? route.fulfill(instead) : route.abort());
    lost.isLost = true;
  });
  return lost;
}

/** The message comes before the field takes the next try: a press that came too early does nothing. */
export async function pressUntilTaken(field: Locator): Promise<void> {
  const press = async () => {
    await field.press('Enter');
    return field.inputValue();
  };
  await expect.poll(press).toBe('');
}

/** The answer of a proxy whose connection to the service broke. */
export const BAD_GATEWAY = { status: 502, body: '<html></html>' };
