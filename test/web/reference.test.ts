import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';

describe.skipIf(CHROMIUM === undefined)('the pages below /docs', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test.each(['/docs/', '/docs/guide', '/docs/first-calls'])(
    '%s has the address it was read at in its examples, and none that leads elsewhere',
    async (path) => {
      const { page, open } = await visit(world.origin);
      await open(path);
      const examples = async () => (await page.locator('code').allTextContents()).join('\n');
      await expect.poll(examples).toContain(`${world.origin}/api/v1`);
      expect(await examples()).not.toContain(':3000/api/v1');
    },
  );

  test('the reference says so when its description cannot be loaded', async () => {
    const { page } = await visit(world.origin);
    await page.route('**/api/v1/openapi.json', (route) => route.fulfill({ status: 404, json: {} }));
    await page.goto('/docs/');
    await expect.poll(() => page.locator('#app').textContent()).toContain('could not be loaded. Reload');
  });
});
