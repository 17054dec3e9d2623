import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('a page of something that is not there', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test.each([
    ['company', '/companies/923609016', 'Legg til selskapet'],
    ['contact', `/contacts/${randomUUID()}`, 'Til kontaktene'],
    ['offer', `/offers/${randomUUID()}`, 'Til tilbudene'],
  ] as const)('stays while it is looked for again since another %s was added', async (kind, path, way) => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const { page, open } = await enter({ world, visit }, workspace);
    await open(path);
    const action = page.getByRole('button', { name: way }).or(page.getByRole('link', { name: way }));
    await action.focus();
    const again = Promise.withResolvers<void>();
    // The answer never comes.
    await page.route(`**/app/api${path}{,/card}`, () => again.resolve());
    if (kind === 'company') await workspace.company();
    else if (kind === 'contact') await workspace.contact();
    else await workspace.offer({ company_id: company.id });
    await again.promise;
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await action.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  });

  test.each([
    ['nb', '1 ansatt'],
    ['en', '1 employee'],
  ] as const)('says of a company to add that it has one employee: %s', async (language, text) => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace, { language });
    await page.route('**/app/api/register**', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/"employees":\d+/, '"employees":1');
      await route.fulfill({ response, body });
    });
    await open('/companies/923609016');
    await expect.poll(() => page.locator('.unit-facts span').allTextContents()).toContain(text);
  });
});
