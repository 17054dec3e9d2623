import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { companiesOf, hold, loseAnswers, setStatus } from './bulk-companies.ts';
import { entrance, messages } from './offer-board.ts';

/** Lets the second change go, and undoes it: its message takes the place of that of the first. */
async function undoSecond(page: Page, letGo: () => Promise<void>) {
  const first = await page.locator('.toast').elementHandle();
  await letGo();
  await first.waitForElementState('hidden');
  await page.getByRole('button', { name: 'Angre' }).click();
}

describe.skipIf(CHROMIUM === undefined)('a change of several companies', async () => {
  const world = await createWorld();
  const withCompanies = companiesOf(world, entrance(world, useBrowser()));

  test('reaches all that are chosen, also where an earlier page has moved', async () => {
    const { workspace, page, open, row, choose, scrollTo, stored } = await withCompanies(250);
    await open('/companies');
    await row('Bedrift 002').waitFor();
    const rowCount = () => page.getByRole('grid').getAttribute('aria-rowcount');
    await scrollTo(150);
    await expect.poll(rowCount).toBe('251');
    await scrollTo(239);
    await choose('Bedrift 240');
    await scrollTo(0);
    await choose('Bedrift 002');
    await world.query(`update companies set name = 'Aker' where tenant_id = $1 and orgnr = '100000199'`, [
      workspace.id,
    ]);
    await workspace.client.patch('/companies/100000199', { status: 'customer' });
    await row('Aker').waitFor();
    expect(await page.locator('.bulk-count').textContent()).toBe('2 valgt');
    await page.getByRole('button', { name: 'Arkiver', exact: true }).click();
    await expect.poll(() => messages(page)).toContain('2 selskaper er endret');
    const changed = await Promise.all([2, 3, 240].map(stored));
    expect(changed.map((company) => company.is_archived)).toEqual([true, false, true]);
  });

  test('does not concern one that has left the list', async () => {
    const { workspace, page, open, row, choose } = await withCompanies(350);
    await open('/companies?status=lead');
    await choose('Bedrift 002');
    await choose('Bedrift 003');
    await workspace.client.patch('/companies/100000002', { status: 'customer' });
    await row('Bedrift 002').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.bulk-count').textContent()).toBe('1 valgt');
    await setStatus(page, 'Uaktuell');
    await expect.poll(() => messages(page)).toContain('1 selskap er endret');
    await page.locator('.bulk-bar').waitFor({ state: 'detached' });
  });

  test('is shown until it is stored, and what is chosen last is stored', async () => {
    const { workspace, page, open, row, choose, stored } = await withCompanies(6, 'customer');
    const chosen = [1, 2, 3, 4, 5];
    const statuses = async () => (await Promise.all(chosen.map(stored))).map(({ status }) => status);
    await open('/companies');
    for (const n of chosen) await choose(`Bedrift 00${n}`);
    const letGo = await hold(page, 5);
    await setStatus(page, 'Tidligere kunde');
    await expect.poll(statuses).toEqual([...Array(4).fill('former_customer'), 'customer']);
    // The rows are read while one is not stored.
    await workspace.client.patch('/companies/100000006', { status: 'disqualified' });
    await row('Bedrift 006').getByText('Uaktuell').waitFor();
    expect(await row('Bedrift').filter({ hasText: 'Tidligere kunde' }).count()).toBe(5);

    await setStatus(page, 'Kunde');
    await expect.poll(() => row('Bedrift').filter({ hasText: 'Tidligere kunde' }).count()).toBe(0);
    await letGo();
    await undoSecond(page, async () => {
      await letGo();
      await expect.poll(statuses).toEqual(Array(5).fill('customer'));
    });
    await expect.poll(statuses).toEqual(Array(5).fill('former_customer'));
  });

  test('is sent again where an answer does not come, and undone also where none comes then', async () => {
    const { page, open, choose, stored } = await withCompanies(3);
    const statuses = async () => (await Promise.all([1, 2, 3].map(stored))).map(({ status }) => status);
    await open('/companies');
    for (const n of [1, 2, 3]) await choose(`Bedrift 00${n}`);
    await loseAnswers(page, 2, 1);
    await setStatus(page, 'Uaktuell');
    await expect.poll(() => messages(page)).toContain('3 selskaper er endret');
    await loseAnswers(page, 2, 2);
    await setStatus(page, 'Kunde');
    await expect.poll(() => messages(page)).toContain('2 selskaper er endret, 1 er kanskje endret.');
    expect(await statuses()).toEqual(['customer', 'customer', 'customer']);
    await page.getByRole('button', { name: 'Angre' }).last().click();
    await expect.poll(statuses).toEqual(['disqualified', 'disqualified', 'disqualified']);
  });

  test('is sent again where nothing was stored, and not over what somebody else has set meanwhile', async () => {
    const { workspace, page, open, choose, stored } = await withCompanies(3);
    await open('/companies');
    for (const n of [1, 2, 3]) await choose(`Bedrift 00${n}`);
    await loseAnswers(page, 1, 1, async () => undefined);
    await loseAnswers(page, 2, 1, async (route) => {
      await route.fetch();
      await workspace.client.patch('/companies/100000002', { status: 'customer' });
    });
    await setStatus(page, 'Uaktuell');
    const told = '2 selskaper er endret, 1 er endret imens og ble ikke rørt.';
    await expect.poll(() => messages(page)).toContain(told);
    const changed = await Promise.all([1, 2, 3].map(stored));
    expect(changed.map(({ status }) => status)).toEqual(['disqualified', 'customer', 'disqualified']);
  });

  test('that is chosen while another is being stored is sent after it', async () => {
    const { page, open, row, choose, stored } = await withCompanies(2, 'customer');
    await open('/companies');
    await choose('Bedrift 001');
    const letGo = await hold(page, 1);
    await setStatus(page, 'Tidligere kunde');
    await row('Bedrift 001').getByText('Tidligere kunde').waitFor();
    await setStatus(page, 'Uaktuell');
    await row('Bedrift 001').getByText('Uaktuell').waitFor();
    await letGo();
    await undoSecond(page, async () => {
      await letGo();
      await expect.poll(async () => (await stored(1)).status).toBe('disqualified');
    });
    await expect.poll(async () => (await stored(1)).status).toBe('former_customer');
  });
});
