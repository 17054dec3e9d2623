import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { addressOf, companiesOf, hold, loseAnswers, setStatus } from './bulk-companies.ts';
import { entrance, messages } from './offer-board.ts';

const OUTAGE = { status: 503, json: { code: 'temporarily_unavailable', error: 'x' } };
const BUSY = { status: 429, json: { code: 'rate_limited', error: 'x' } };
const GONE = { status: 404, json: { code: 'not_found', error: 'x' } };

describe.skipIf(CHROMIUM === undefined)('a change of several companies', async () => {
  const world = await createWorld();
  const withCompanies = companiesOf(world, entrance(world, useBrowser()));

  test('can be undone again where undoing failed for some, each to the value it had', async () => {
    const { workspace, page, open, choose, stored } = await withCompanies(2);
    await workspace.client.patch('/companies/100000002', { status: 'prospect' });
    const statuses = async () => (await Promise.all([1, 2].map(stored))).map(({ status }) => status);
    await open('/companies');
    for (const n of [1, 2]) await choose(`Bedrift 00${n}`);
    await setStatus(page, 'Uaktuell');
    await expect.poll(statuses).toEqual(['disqualified', 'disqualified']);
    await page.route(addressOf(2), (route) => route.fulfill(OUTAGE));
    await page.getByRole('button', { name: 'Angre' }).click();
    await expect.poll(() => messages(page)).toContain('1 selskap er endret, 1 er kanskje endret.');
    await page.unroute(addressOf(2));
    expect(await statuses()).toEqual(['lead', 'disqualified']);
    await page.getByRole('button', { name: 'Angre' }).click();
    await expect.poll(statuses).toEqual(['lead', 'prospect']);
    await expect.poll(() => messages(page)).toContain('Angret');
  });

  test('may have been carried out where sending it again is refused, and can be undone', async () => {
    const { page, open, choose, stored } = await withCompanies(2);
    const statuses = async () => (await Promise.all([1, 2].map(stored))).map(({ status }) => status);
    await open('/companies');
    for (const n of [1, 2]) await choose(`Bedrift 00${n}`);
    await page.route(addressOf(2), (route) => route.fulfill(BUSY));
    await loseAnswers(page, 2, 1);
    await setStatus(page, 'Uaktuell');
    await expect.poll(() => messages(page)).toContain('1 selskap er endret, 1 er kanskje endret.');
    await page.unroute(addressOf(2));
    expect(await statuses()).toEqual(['disqualified', 'disqualified']);
    await page.getByRole('button', { name: 'Angre' }).click();
    await expect.poll(statuses).toEqual(['lead', 'lead']);
  });

  test('can be undone again where one cannot be undone at all, but not over what somebody has set since', async () => {
    const { workspace, page, open, choose, stored } = await withCompanies(3);
    const statuses = async () => (await Promise.all([1, 2, 3].map(stored))).map(({ status }) => status);
    await open('/companies');
    for (const n of [1, 2, 3]) await choose(`Bedrift 00${n}`);
    await setStatus(page, 'Uaktuell');
    await expect.poll(() => messages(page)).toContain('3 selskaper er endret');
    const isGone = page.waitForResponse((response) => response.status() === 404);
    await page.route(addressOf(1), (route) => route.fulfill(GONE));
    for (const n of [2, 3]) {
      await page.route(addressOf(n), async (route) => {
        await isGone;
        await route.fulfill(OUTAGE);
      });
    }
    await page.getByRole('button', { name: 'Angre' }).click();
    const told = '0 selskaper er endret, 2 er kanskje endret, 1 ble ikke endret. Finnes ikke her.';
    await expect.poll(() => messages(page)).toContain(told);
    for (const n of [1, 2, 3]) await page.unroute(addressOf(n));
    await workspace.client.patch('/companies/100000003', { status: 'customer' });
    await page.getByRole('row', { name: 'Bedrift 003' }).getByText('Kunde').waitFor();
    await page.getByRole('button', { name: 'Angre' }).click();
    const left = '1 selskap er endret, 1 er endret imens og ble ikke rørt.';
    await expect.poll(() => messages(page)).toContain(left);
    expect(await statuses()).toEqual(['disqualified', 'lead', 'customer']);
  });

  test('can be undone also where an answer was lost, or somebody has changed one of them, which is left alone', async () => {
    const { workspace, page, open, choose, row, stored } = await withCompanies(3);
    const statuses = async () => (await Promise.all([1, 2, 3].map(stored))).map(({ status }) => status);
    await open('/companies');
    for (const n of [1, 2, 3]) await choose(`Bedrift 00${n}`);
    await loseAnswers(page, 3, 1);
    await setStatus(page, 'Uaktuell');
    await expect.poll(() => messages(page)).toContain('3 selskaper er endret');
    await workspace.client.patch('/companies/100000002', { status: 'customer' });
    await row('Bedrift 002').getByText('Kunde').waitFor();
    await page.getByRole('button', { name: 'Angre' }).click();
    const left = '2 selskaper er endret, 1 er endret imens og ble ikke rørt.';
    await expect.poll(() => messages(page)).toContain(left);
    expect(await statuses()).toEqual(['lead', 'customer', 'lead']);
  });

  test('starts from what is shown, although an earlier change still waits', async () => {
    const { workspace, page, open, choose, row, stored } = await withCompanies(2);
    await open('/companies');
    const change = async (n: number, status: string) => {
      await choose(`Bedrift 00${n}`);
      await setStatus(page, status);
      await row(`Bedrift 00${n}`).getByRole('checkbox').uncheck();
    };
    const [letFirstGo, letSecondGo] = [await hold(page, 1), await hold(page, 2)];
    await change(1, 'Kunde');
    await change(2, 'Uaktuell');
    await letFirstGo();
    await expect.poll(() => messages(page)).toContain('1 selskap er endret');
    await workspace.client.patch('/companies/100000001', { status: 'prospect' });
    await row('Bedrift 001').getByText('Prospekt').waitFor();
    await change(1, 'Kunde');
    await letSecondGo();
    await letFirstGo();
    await expect.poll(async () => (await stored(1)).status).toBe('customer');
    await page.getByRole('button', { name: 'Angre' }).last().click();
    await expect.poll(async () => (await stored(1)).status).toBe('prospect');
  });

  test('sends again what an earlier one that was under way could not store', async () => {
    const { page, open, choose, row, stored } = await withCompanies(2);
    await open('/companies');
    const isChosen = Promise.withResolvers<void>();
    let isFirst = true;
    await page.route(addressOf(1), async (route) => {
      if (!isFirst || route.request().method() !== 'PATCH') return route.continue();
      isFirst = false;
      await isChosen.promise;
      await route.fulfill(OUTAGE);
    });
    await choose('Bedrift 001');
    await setStatus(page, 'Kunde');
    await choose('Bedrift 002');
    await setStatus(page, 'Kunde');
    await row('Bedrift 002').getByText('Kunde').waitFor();
    isChosen.resolve();
    await expect.poll(() => messages(page)).toContain('2 selskaper er endret');
    expect([(await stored(1)).status, (await stored(2)).status]).toEqual(['customer', 'customer']);
  });

  test('is undone at once, without reading, where it was answered and only something else has changed', async () => {
    const { workspace, page, open, choose, stored } = await withCompanies(2);
    await open('/companies');
    for (const n of [1, 2]) await choose(`Bedrift 00${n}`);
    await setStatus(page, 'Uaktuell');
    await expect.poll(() => messages(page)).toContain('2 selskaper er endret');
    await workspace.client.patch('/companies/100000002', { phone_number: '22 00 00 00' });
    const sent: string[] = [];
    page.on('request', (request) => {
      const [, n] = /\/companies\/10000000(\d)$/.exec(request.url()) ?? [];
      if (n) sent.push(`${request.method()} ${n}`);
    });
    await page.getByRole('button', { name: 'Angre' }).click();
    await expect.poll(() => messages(page)).toContain('Angret');
    expect(sent.toSorted()).toEqual(['GET 2', 'PATCH 1', 'PATCH 2', 'PATCH 2']);
    expect([(await stored(1)).status, (await stored(2)).status]).toEqual(['lead', 'lead']);
  });
});
