import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance, messages } from './offer-board.ts';

/** Gets the answer to the next request for rows, and keeps it back. */
async function holdAnswer(page: Page, isIt: (address: URL) => boolean) {
  const read = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const given = Promise.withResolvers<void>();
  await page.route(
    (address) => address.pathname.endsWith('/companies/overview') && isIt(address),
    async (route) => {
      const response = await route.fetch();
      read.resolve();
      await held.promise;
      await route.fulfill({ response });
      given.resolve();
    },
    { times: 1 },
  );
  return {
    read: read.promise,
    async give() {
      held.resolve();
      await given.promise;
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    },
  };
}

const isFirst = ({ pathname, searchParams }: URL) =>
  pathname.endsWith('/companies/overview') && !searchParams.get('cursor');

describe.skipIf(CHROMIUM === undefined)('rows of companies', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());
  // A clock that was set cannot be set back.
  const enterOnce = entrance(world, useBrowser({ fresh: true }));

  /** Two pages of companies, one of which has the name. */
  async function many(name: string) {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await world.query('update companies set name = $2 where tenant_id = $1', [workspace.id, name]);
    await world.query(
      `insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
       select $1, gen_random_uuid(), (100000000 + n)::text, 'Bedrift ' || n, 'lead', 'brreg', 'AS', now(), 1, '62.010'
       from generate_series(1, 150) as n`,
      [workspace.id],
    );
    return { workspace, orgnr };
  }

  test('show what was read last, also where an earlier answer comes later', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open('/companies');
    const row = page.getByRole('row', { name });
    await row.waitFor();
    const first = await holdAnswer(page, () => true);
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    await first.read;
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'disqualified' });
    await row.getByText('Uaktuell').waitFor();
    await first.give();
    expect(await row.getByText('Uaktuell').count()).toBe(1);
  });

  test('have the height that suits the window, also when it changes', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    await workspace.company();
    const { page, open, show } = await enter(workspace);
    await open('/companies');
    const row = page.locator('[role=row][data-index="1"]');
    const place = () => row.evaluate((element) => element.style.transform);
    for (const [screen, height] of [
      ['wide', 36],
      ['phone', 60],
      ['wide', 36],
    ] as const) {
      await show(screen);
      await expect.poll(place).toBe(`translateY(${height}px)`);
    }
  });

  test('show what has changed after they could not be counted', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open('/companies');
    const row = page.getByRole('row', { name });
    await row.waitFor();
    const count = /\/companies\/overview\/count/;
    await page.route(count, (route) =>
      route.fulfill({ status: 429, json: { error: 'x', code: 'rate_limited' } }),
    );
    const failed = page.waitForResponse(count);
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    await failed;
    await row.getByText('Kunde').waitFor();
    await page.unroute(count);
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'disqualified' });
    await expect.poll(() => row.getByText('Uaktuell').count()).toBe(1);
  });

  test('show what has changed while the next page of them was read', async () => {
    const { workspace, orgnr } = await many('Aker');
    const { page, open } = await enter(workspace);
    const next = await holdAnswer(page, ({ searchParams }) => searchParams.get('cursor') !== '');
    await open('/companies');
    const row = page.getByRole('row', { name: 'Aker' });
    await row.waitFor();
    await next.read;
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    await row.getByText('Kunde').waitFor();
    await next.give();
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('152');
    await expect.poll(() => row.getByText('Kunde').count()).toBe(1);
  });

  test('show what was read while the next page of them was read', async () => {
    const workspace = await world.workspace();
    await world.query(
      `insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
       select $1, gen_random_uuid(), (100000000 + n)::text, 'Bedrift ' || lpad(n::text, 3, '0'), 'lead', 'brreg', 'AS',
         now(), 1, '62.010'
       from generate_series(1, 300) as n`,
      [workspace.id],
    );
    const { page, open } = await enter(workspace);
    const second = await holdAnswer(page, ({ searchParams }) => searchParams.get('cursor') !== '');
    await open('/companies');
    await second.read;
    await second.give();
    const asked = page.waitForRequest((request) => isFirst(new URL(request.url())));
    const held = Promise.withResolvers<void>();
    await page.route(isFirst, async (route) => {
      await held.promise;
      // A request that was overtaken by another is given up.
      await route.continue().catch(() => {});
    });
    await workspace.client.patch('/companies/100000080', { status: 'customer' });
    await asked;
    const next = await holdAnswer(page, ({ searchParams }) => searchParams.get('cursor') !== '');
    await page.locator('.table-body').evaluate((body) => body.scrollTo({ top: 74 * 36 }));
    await next.read;
    held.resolve();
    const row = page.getByRole('row', { name: 'Bedrift 080' });
    await row.getByText('Kunde').waitFor();
    await next.give();
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('301');
    await expect.poll(() => row.getByText('Kunde').count()).toBe(1);
  });

  test('show what has changed out of view when they come into it', async () => {
    const { workspace, orgnr } = await many('Åker');
    const { page, open } = await enter(workspace);
    await open('/companies');
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('152');
    const read = page.waitForResponse(/\/companies\/overview\?/);
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    await read;
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.getByRole('row', { name: 'Åker' }).getByText('Kunde').count()).toBe(1);
  });

  test('show what has changed while they were read for the first time', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    const { page, open } = await enterOnce(workspace);
    await page.clock.install();
    const count = /\/companies\/overview\/count/;
    const counted = page.waitForResponse(count);
    const first = await holdAnswer(page, () => true);
    await open('/companies');
    await first.read;
    await counted;
    const countedAnew = page.waitForResponse(count);
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    await countedAnew;
    // The page pauses after a change, and reads then.
    await page.clock.runFor(200);
    await first.give();
    await expect.poll(() => page.getByRole('row', { name }).getByText('Kunde').count()).toBe(1);
  });

  test('show what is stored where changing them failed and they cannot be read again', async () => {
    const workspace = await world.workspace();
    const { name } = await workspace.company({ status: 'lead' });
    const { page, open } = await enter(workspace);
    await open('/companies');
    const row = page.getByRole('row', { name });
    await row.getByRole('checkbox').check();
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/companies/**', async (route) => {
      await held.promise;
      await route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } });
    });
    await page.getByRole('button', { name: 'Sett status' }).click();
    await page.getByRole('menuitem', { name: 'Kunde', exact: true }).click();
    await row.getByText('Kunde').waitFor();
    held.resolve();
    await expect.poll(() => messages(page)).toContain('1 er kanskje endret. Tjenesten er utilgjengelig');
    await row.getByText('Lead').waitFor();
  });
});
