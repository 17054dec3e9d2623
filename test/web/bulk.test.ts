import { describe, expect, test } from 'vitest';
import type { Page, Route } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance, messages } from './offer-board.ts';

async function setStatus(page: Page, status: string) {
  await page.getByRole('button', { name: 'Sett status' }).click();
  await page.getByRole('menuitem', { name: status, exact: true }).click();
}

function addressOf(n: number) {
  return `**/app/api/companies/${100_000_000 + n}`;
}

/** Keeps back the first two changes of one. @returns what lets the next of them go and waits for an answer */
async function hold(page: Page, n: number) {
  const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [arriving, leaving] = [held.values(), held.values()];
  await page.route(addressOf(n), async (route) => {
    if (route.request().method() === 'PATCH') await arriving.next().value?.promise;
    await route.continue();
  });
  return async () => {
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
    leaving.next().value?.resolve();
    await answered;
  };
}

/** The next change of one is carried out, and its answer does not come, nor those to the next requests after it. */
async function loseAnswers(
  page: Page,
  n: number,
  times: number,
  carryOut = async (route: Route): Promise<unknown> => route.fetch(),
) {
  let left = times;
  await page.route(addressOf(n), async (route) => {
    const isChange = route.request().method() === 'PATCH';
    if (left === 0 || (left === times && !isChange)) return route.fallback();
    left -= 1;
    if (isChange) await carryOut(route);
    await route.abort();
  });
}

/** Lets the second change go, and undoes it: its message takes the place of that of the first. */
async function undoSecond(page: Page, letGo: () => Promise<void>) {
  const first = await page.locator('.toast').elementHandle();
  await letGo();
  await first.waitForElementState('hidden');
  await page.getByRole('button', { name: 'Angre' }).click();
}

const OUTAGE = { status: 503, json: { code: 'temporarily_unavailable', error: 'x' } };
const BUSY = { status: 429, json: { code: 'rate_limited', error: 'x' } };
const GONE = { status: 404, json: { code: 'not_found', error: 'x' } };

describe.skipIf(CHROMIUM === undefined)('a change of several companies', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  /** Companies from "Bedrift 001" on, with a status. */
  async function withCompanies(count: number, status = 'lead') {
    const workspace = await world.workspace();
    await world.query(
      `insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
       select $1, gen_random_uuid(), (100000000 + n)::text, 'Bedrift ' || lpad(n::text, 3, '0'), $3, 'brreg', 'AS',
         now(), 1, '62.010'
       from generate_series(1, $2::int) as n`,
      [workspace.id, count, status],
    );
    const visited = await enter(workspace);
    const { page } = visited;
    const row = (name: string) => page.getByRole('row', { name });
    const choose = (name: string) => row(name).getByRole('checkbox').check();
    const scrollTo = (index: number) =>
      page.locator('.table-body').evaluate((body, top) => body.scrollTo({ top }), index * 36);
    const stored = async (n: number) =>
      (await workspace.client.get(`/companies/${100_000_000 + n}`)).body.data as {
        status: string;
        is_archived: boolean;
      };
    return { ...visited, workspace, row, choose, scrollTo, stored };
  }

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

  test('is undone once more where undoing fails for some, each to what it had', async () => {
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

  test('may be done where sending it again is refused, and is undone', async () => {
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

  test('is undone once more where one cannot be undone at all, and not over what somebody has set since', async () => {
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

  test('is undone at once, without reading, where it was answered and only something else has changed', async () => {
    const { workspace, page, open, choose, stored } = await withCompanies(2);
    // The page hears of no change: it would no longer offer to undo.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
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

  test('that is chosen before the one under way is stored follows it', async () => {
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
