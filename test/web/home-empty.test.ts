import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { freshOrgnr } from '../workspace.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('home of a workspace that is empty', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('an empty workspace is filled with demo data by one click, emptied by another, and gets a company by number', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/');
    await page.getByRole('heading', { name: 'Kom i gang' }).waitFor();
    await page.getByRole('link', { name: 'Velg fil' }).waitFor();
    await page.getByText('Dette er et prøveregister').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Legg inn demodata' }).click();
    await page.getByText('Demodata er lagt inn').waitFor();
    await page.getByText('Du ser på demodata').waitFor();
    await page
      .getByRole('checkbox', { name: /^Fullfør / })
      .first()
      .waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Fjern demodata' }).click();
    await page.getByText('Demodata er fjernet').waitFor();
    await page.getByRole('heading', { name: 'Kom i gang' }).waitFor();

    const orgnr = freshOrgnr();
    await page.getByRole('combobox').click();
    expect(await page.getByRole('combobox').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByText('Ingen treff').count()).toBe(0);
    await page.keyboard.type(orgnr);
    // Each digit starts a new search, and results of an earlier one cannot be chosen: they are text without a name.
    const [first, second, third] = [orgnr.slice(0, 3), orgnr.slice(3, 6), orgnr.slice(6)];
    const name = new RegExp(`${first}\\s${second}\\s${third}`);
    await page.getByRole('option', { name }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/companies/${orgnr}`);
    await expect.poll(async () => (await workspace.client.get(`/companies/${orgnr}`)).status).toBe(200);
  });

  test('a member is offered what a member may do', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace, { person: workspace.member });
    await open('/');
    await page.getByText('En eier kan legge inn demodata').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Velg fil' }).count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'Legg inn demodata' }).count()).toBe(0);
    const busy = { status: 429, json: { error: 'x', code: 'rate_limited' } };
    await page.route('**/app/api/register/923609016', (route) => route.fulfill(busy));
    await page.getByRole('combobox').fill('923609016');
    await page.getByText('For mange forespørsler').waitFor();
  });

  test('shows tasks also where there is no company yet', async () => {
    const workspace = await world.workspace();
    await workspace.task({ title: 'Ring' });
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/');
    await page.getByRole('heading', { name: 'Kom i gang' }).waitFor();
    await page.getByRole('checkbox', { name: 'Fullfør Ring' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('row', { name: 'Ring' }).press('x');
    await page.getByRole('row', { name: 'Ring' }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Kom i gang' }).waitFor();
  });
});
