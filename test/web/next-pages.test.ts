import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();

const isFirstPageOf = (path: string) => (address: URL) =>
  address.pathname.endsWith(path) && address.searchParams.get('cursor') === '';

/** Keeps back the next answer to a request for a first page. */
async function holdFirstPage(page: Page, path: string) {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(
    isFirstPageOf(path),
    async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    },
    { times: 1 },
  );
  return { asked: asked.promise, give: () => held.resolve() };
}

async function addOffers(workspace: Workspace, count: number) {
  const { id } = await workspace.offer({ title: 'Første' });
  await world.query(
    `with made as (
       insert into offers (tenant_id, id, title, company_id, user_id, status, one_time_revenue, recurring_revenue,
         recurring_frequency, weight, updated_at)
       select tenant_id, gen_random_uuid(), 'Tilbud ' || n, company_id, user_id, status, 1, 0, recurring_frequency,
         weight, updated_at - n * interval '1 second'
       from offers, generate_series(2, $2::int) as n where id = $1
       returning *)
     select count(*) from made`,
    [id, count],
  );
  return `/offers/${id}`;
}

async function addContacts(workspace: Workspace, count: number) {
  const { id } = await workspace.contact({ name: 'Kontakt 0001' });
  await world.query(
    `with made as (
       insert into contacts (tenant_id, id, name, notes)
       select $1, gen_random_uuid(), 'Kontakt ' || to_char(n, 'FM0000'), '' from generate_series(2, $2::int) n
       returning *)
     select count(*) from made`,
    [workspace.id, count],
  );
  return `/contacts/${id}`;
}

async function addNotes(workspace: Workspace, count: number) {
  const { id, orgnr } = await workspace.company();
  await world.query(
    `insert into timeline_entries (tenant_id, company_id, type, content, user_id)
     select $1, $2, 'add_comment', json_build_object('text', 'Notat ' || n), $3 from generate_series(1, $4::int) n`,
    [workspace.id, id, workspace.owner.id, count],
  );
  return orgnr;
}

const LIMITED = { status: 429, json: { error: 'x', code: 'rate_limited' } };

const rowCount = (page: Page) => page.getByRole('grid').getAttribute('aria-rowcount');

describe.skipIf(CHROMIUM === undefined)('a list that is read page by page', () => {
  test.each([
    {
      add: addContacts,
      path: '/contacts',
      api: '/contacts/rows',
      pages: 3,
      size: 50,
      change: { name: 'Kontakt 0000' },
    },
    {
      add: addOffers,
      path: '/offers?tab=list',
      api: '/offers/cards',
      pages: 2,
      size: 100,
      change: { title: 'Endret' },
    },
  ])(
    '$path is read to its end and shows what changed, when its end is reached before the change is read',
    async ({ add, path, api, pages, size, change }) => {
      const workspace = await world.workspace();
      const read = pages * size;
      const first = await add(workspace, read + 10);
      const { page, open } = await enter({ world, visit }, workspace);
      let answered = 0;
      page.on('requestfinished', (request) => {
        if (new URL(request.url()).pathname.endsWith(api)) answered += 1;
      });
      await open(path);
      await expect.poll(() => answered).toBe(pages);
      const { asked, give } = await holdFirstPage(page, api);
      await workspace.client.patch(first, change);
      await asked;
      await page.locator('[data-index="0"]').focus();
      await page.keyboard.press('End');
      await page.locator(`[data-index="${read - 1}"]:focus`).waitFor();
      give();
      await expect.poll(() => rowCount(page)).toBe(String(read + 11));
      await page.keyboard.press('Home');
      const row = page.locator('[data-index="0"]');
      await expect.poll(() => row.textContent()).toContain(Object.values(change)[0]);
    },
  );

  test('is read on while changes come faster than it is read again, and shows the last of them', async () => {
    const workspace = await world.workspace();
    const first = await addOffers(workspace, 210);
    const isFirstPage = isFirstPageOf('/offers/cards');
    const { page, open } = await enter({ world, visit }, workspace);
    let answered = 0;
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.endsWith('/offers/cards')) answered += 1;
    });
    await open('/offers?tab=list');
    await expect.poll(() => answered).toBe(2);
    let changes = 0;
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    const change = async (title = `Endret ${(changes += 1)}`) => {
      const told = page.waitForResponse(/\/changes\?.*wait=25/);
      await workspace.client.patch(first, { title });
      await told;
      await page.evaluate('new Promise((done) => setTimeout(done))');
    };
    const changed: Promise<void>[] = [];
    // Each reading is overtaken by a change.
    await page.route(isFirstPage, async (route) => {
      const next = change();
      changed.push(next);
      await Promise.race([next, isRead]);
      await route.continue();
    });
    await change();
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('End');
    await page.locator('[data-index="199"]:focus').waitFor();
    await expect.poll(() => rowCount(page)).toBe('211');
    read();
    await page.unroute(isFirstPage);
    // The last of the changes may not be stored yet.
    await Promise.all(changed);
    await page.keyboard.press('Home');
    await change('Sist endret');
    await expect.poll(() => page.locator('[data-index="0"]').textContent()).toContain('Sist endret');
  });

  test('reads on by a button, and shows what changed, while the change is being read', async () => {
    const workspace = await world.workspace();
    const orgnr = await addNotes(workspace, 80);
    const { page, open } = await enter({ world, visit }, workspace);
    await open(`/companies/${orgnr}`);
    await page.getByText('Notat 80').waitFor();
    const { asked, give } = await holdFirstPage(page, '/timeline');
    await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Nytt' });
    await asked;
    await page.getByRole('button', { name: 'Vis eldre' }).click();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    give();
    await page.getByText('Notat 1', { exact: true }).waitFor();
    await expect.poll(() => page.getByText('Nytt', { exact: true }).count()).toBe(1);
  });

  test('keeps the focus on its button when reading on fails, and the button tries again', async () => {
    const workspace = await world.workspace();
    const orgnr = await addNotes(workspace, 80);
    const { page, open } = await enter({ world, visit }, workspace);
    const next = /\/timeline\?.*cursor=./;
    await page.route(next, (route) => route.fulfill(LIMITED));
    await open(`/companies/${orgnr}`);
    await page.getByRole('button', { name: 'Vis eldre' }).press('Enter');
    const said = page.getByRole('alert').getByText('For mange forespørsler');
    await said.waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Vis eldre');
    expect(await axe(page)).toEqual([]);
    await page.unroute(next);
    await page.keyboard.press('Enter');
    await page.getByText('Notat 1', { exact: true }).waitFor();
    expect(await said.count()).toBe(0);
  });

  test('goes on from an empty page that was followed by a failure', async () => {
    const { page, open } = await enter({ world, visit }, await world.workspace());
    const asked: (string | null)[] = [];
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/history?*', async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor');
      asked.push(cursor);
      if (cursor === 'c1' && asked.length === 2) return route.fulfill(LIMITED);
      const has_more = cursor !== 'c1';
      if (!has_more) await held.promise;
      await route.fulfill({
        json: { data: [], people: [], page: { has_more, next_cursor: has_more ? 'c1' : null } },
      });
    });
    await open('/settings/history');
    const retry = page.getByRole('button', { name: 'Prøv igjen' });
    await retry.press('Enter');
    await expect.poll(() => retry.getAttribute('aria-disabled')).toBe('true');
    held.resolve();
    await retry.waitFor({ state: 'detached' });
    expect(asked).toEqual(['', 'c1', 'c1']);
  });

  test('says below its rows that the next page could not be loaded, and asks again', async () => {
    const workspace = await world.workspace();
    await addOffers(workspace, 150);
    const { page, open, show } = await enter({ world, visit }, workspace);
    const next = /\/offers\/cards\?.*cursor=./;
    await page.route(next, (route) => route.fulfill(LIMITED));
    const hidden = `(body => body.scrollHeight - body.clientHeight)(document.querySelector('.page-body'))`;
    await open('/offers?tab=list');
    const said = page.getByRole('alert').getByText('For mange forespørsler');
    await said.waitFor();
    expect(await axe(page)).toEqual([]);
    for (const screen of ['phone', 'wide'] as const) {
      await show(screen);
      await expect.poll(() => page.evaluate(hidden)).toBe(0);
    }
    await page.unroute(next);
    await page.getByRole('button', { name: 'Prøv igjen' }).click();
    await expect.poll(() => rowCount(page)).toBe('151');
    expect(await said.count()).toBe(0);
  });
});
