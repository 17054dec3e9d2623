import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const SCHEME = 'getComputedStyle(document.documentElement).colorScheme';

describe.skipIf(CHROMIUM === undefined)('on paper', async () => {
  const world = await createWorld();
  const visit = useBrowser({ fresh: true });

  test('a list has all rows and columns, in dark letters, and nothing to press', async () => {
    const workspace = await world.workspace();
    const names = Array.from({ length: 60 }, (_, at) => `Kari ${at}`);
    for (const name of names) await workspace.contact({ name });
    const { page, open, runFirst } = await enter({ world, visit }, workspace, { screen: 'phone' });
    await runFirst("localStorage.setItem('kundebok.theme', 'dark')");
    await open('/contacts');
    await page.getByRole('row', { name: 'Kari 0' }).waitFor();
    expect(await page.getByRole('row', { name: /Kari/ }).count()).toBeLessThan(60);
    expect(await page.evaluate(SCHEME)).toBe('dark');

    await page.emulateMedia({ media: 'print' });
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    await expect.poll(() => page.getByRole('row', { name: /Kari/ }).count()).toBe(60);
    await page.getByRole('columnheader', { name: 'Selskaper' }).waitFor();
    expect(await page.getByRole('row', { name: 'Kari 59' }).isVisible()).toBe(true);
    expect(await page.evaluate(`document.querySelector('.table-body').clientHeight`)).toBeGreaterThan(
      60 * 30,
    );
    expect(await page.locator('nav, .page-actions, .toolbar').filter({ visible: true }).count()).toBe(0);
    expect(await page.evaluate(SCHEME)).toBe('light');

    await page.emulateMedia({ media: null });
    await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
    await expect.poll(() => page.getByRole('row', { name: /Kari/ }).count()).toBeLessThan(60);
  });

  test('a list that was not read to its end says that it is longer', async () => {
    const workspace = await world.workspace();
    const contacts = Array.from({ length: 101 }, (_, at) => workspace.contact({ name: `Kari ${at}` }));
    await Promise.all(contacts);
    const { page, open } = await enter({ world, visit }, workspace);
    const rest = Promise.withResolvers<void>();
    await page.route(/\/app\/api\/contacts\/.*cursor=\w/, async (route) => {
      await rest.promise;
      await route.fallback();
    });
    await open('/contacts');
    await page.getByRole('row', { name: 'Kari 0' }).waitFor();
    const longer = page.getByText('Listen er lengre enn dette');
    await longer.waitFor({ state: 'attached' });
    expect(await longer.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await longer.isVisible()).toBe(true);
    rest.resolve();
    await longer.waitFor({ state: 'detached' });
  });

  test('a company has its details beside what has happened', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter({ world, visit }, workspace, { screen: 'phone' });
    await open(`/companies/${orgnr}`);
    const details = page.getByText('Organisasjonsform');
    await page.getByText('la til selskapet').waitFor();
    expect(await details.count()).toBe(0);
    await page.emulateMedia({ media: 'print' });
    await details.waitFor();
    expect(await page.getByPlaceholder('Skriv et notat').isVisible()).toBe(false);
    expect(await page.getByText('Ingen ansvarlig').isVisible()).toBe(true);
  });
});
