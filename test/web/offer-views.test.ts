import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { SLOW_PAGES } from '../slow-pages.ts';
import { createWorld } from '../world.ts';
import { entrance, focusedCard, titlesIn } from './offer-board.ts';

const MOST = Number.MAX_SAFE_INTEGER;

/** As much of an element as is asked here. */
type Part = {
  scrollWidth: number;
  clientWidth: number;
  getBoundingClientRect(): { right: number };
  ownerDocument: { documentElement: { clientWidth: number } };
};

async function showAsTable(page: Page) {
  await page.getByRole('button', { name: 'Vis som tabell' }).click();
  // 33 % of the amount and of twelve times it.
  await expect
    .poll(() => page.getByRole('table').first().textContent())
    .toContain('38\u00A0640\u00A0884\u00A0802\u00A0838\u00A0851\u00A0kr');
}

describe.skipIf(CHROMIUM === undefined)('board, list and sums of offers', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('axe finds nothing on board, list, sums and their empty states, and no card breaks, wide and on a phone', async () => {
    const workspace = await world.workspace();
    const { page, open, show } = await enter(workspace);
    await open('/offers');
    await page.getByText('Her kommer tilbudene deres').waitFor();
    expect(await axe(page)).toEqual([]);
    await show('phone');
    expect(await axe(page)).toEqual([]);
    await show('wide');

    const company = await workspace.company();
    await workspace.task({ related_company_id: company.id, title: 'Ring '.repeat(50).trim() });
    const amounts = { one_time_revenue: MOST, recurring_revenue: MOST };
    await workspace.offer({ ...amounts, company_id: company.id, title: 'lang'.repeat(63), weight: 33 });
    // Shown without a reload: from the change log.
    const card = page.locator('.offer-card');
    await card.waitFor();
    for (const screen of ['wide', 'phone'] as const) {
      await show(screen);
      for (const view of ['Liste', 'Summer', 'Tavle']) {
        const link = page.getByRole('navigation', { name: 'Visninger' }).getByRole('link', { name: view });
        await link.click();
        await expect.poll(() => link.getAttribute('aria-current')).not.toBeNull();
        await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
        if (view === 'Summer') await showAsTable(page);
        expect([screen, view, await axe(page)]).toEqual([screen, view, []]);
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
          .toBe(0);
      }
      await expect
        .poll(() =>
          card.evaluate(
            ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
              scrollWidth - clientWidth,
          ),
        )
        .toBe(0);
      // Each amount is on one line.
      const heights = await card
        .locator('.offer-amount > span')
        .evaluateAll((all: { offsetHeight: number }[]) => all.map(({ offsetHeight }) => offsetHeight));
      expect([screen, heights.length, ...new Set(heights)]).toEqual([screen, 2, expect.any(Number)]);
    }
    // Where the board is wider than the window, it scrolls and the page does not.
    await page.setViewportSize({ width: 800, height: 700 });
    await page.getByText('Siste 30 dager').first().waitFor();
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
      .toBe(0);
  });

  test.each([
    ['nb', 'Vis som tabell', 'Vektet'],
    ['en', 'Show as table', 'Weighted'],
  ] as const)(
    '%s: on a phone the table of sums shows all of each, and what it is',
    async (language, show, weighted) => {
      const workspace = await world.workspace();
      await workspace.offer({ one_time_revenue: MOST, recurring_revenue: MOST, weight: 33 });
      const { page, open } = await enter(workspace, { screen: 'phone', language });
      await open('/offers?tab=sums');
      await page.getByRole('button', { name: show }).tap();
      const parts = page.locator('.sums-scroll, .sums-table td');
      await parts.first().waitFor();
      for (const width of [360, 390]) {
        await page.setViewportSize({ width, height: 844 });
        const cut = () =>
          parts.evaluateAll(
            (all: Part[]) =>
              all.filter(
                (it) =>
                  it.scrollWidth > it.clientWidth ||
                  it.getBoundingClientRect().right > it.ownerDocument.documentElement.clientWidth,
              ).length,
          );
        await expect.poll(cut).toBe(0);
      }
      const label = `getComputedStyle(document.querySelector('.sums-table td:last-child'), '::before').content`;
      expect(await page.evaluate(label)).toBe(`"${weighted}"`);
    },
  );

  test('the list is filtered by status and company and sorted, all in the address', async () => {
    const workspace = await world.workspace();
    const [one, other] = [await workspace.company(), await workspace.company()];
    await workspace.offer({ title: 'Første', company_id: one.id, status: 'sent' });
    await workspace.offer({ title: 'Andre', company_id: one.id, status: 'sent' });
    await workspace.offer({ title: 'Tredje', company_id: other.id, status: 'sent' });
    await workspace.offer({ title: 'Fjerde', company_id: one.id });
    const { page, open } = await enter(workspace);
    const titles = () => page.locator('.table-body .table-link').allTextContents();
    await open('/offers?tab=list');
    await expect.poll(titles).toEqual(['Fjerde', 'Tredje', 'Andre', 'Første']);
    await page.getByRole('button', { name: 'Status', exact: true }).first().click();
    await page.getByRole('menuitemradio', { name: 'Sendt' }).click();
    await expect.poll(titles).toEqual(['Tredje', 'Andre', 'Første']);
    await page.getByRole('combobox', { name: 'Selskap' }).fill(one.orgnr);
    await page.getByRole('option', { name: one.name }).click();
    await expect.poll(titles).toEqual(['Andre', 'Første']);
    await page.getByRole('button', { name: 'Status siden' }).click();
    await expect.poll(titles).toEqual(['Første', 'Andre']);
    const asked = { status: 'sent', company_id: one.id, sort: 'status_since' };
    const parametersOf = (url: string) => Object.fromEntries(new URL(url, world.origin).searchParams);
    expect(parametersOf(page.url())).toMatchObject(asked);
    await page.reload();
    await expect.poll(titles).toEqual(['Første', 'Andre']);
    await page.getByRole('button', { name: 'Flere valg' }).first().click();
    const file = await page.getByRole('menuitem', { name: 'Eksporter som CSV' }).getAttribute('href');
    expect(parametersOf(file!)).toMatchObject(asked);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Første' }).waitFor();
  });

  test.each(['nb', 'en'] as const)('%s: amounts of millions are whole in the list', async (language) => {
    const workspace = await world.workspace();
    const worth = { one_time_revenue: 99_999_999, recurring_revenue: 9_999_999 };
    await workspace.offer({ ...worth, recurring_frequency: 'monthly' });
    const { page, open } = await enter(workspace, { language });
    await open('/offers?tab=list');
    const amounts = page.locator('.offer-amount > span');
    await expect.poll(() => amounts.count()).toBe(2);
    const cut = amounts.evaluateAll((all) =>
      all.flatMap((one) =>
        one.scrollWidth > one.clientWidth ? [one.textContent + one.scrollWidth + '>' + one.clientWidth] : [],
      ),
    );
    expect(await cut).toEqual([]);
  });

  test('an owner is anyone of more members than a page of them holds', async () => {
    const workspace = await world.workspace();
    const { id } = workspace.owner;
    await workspace.offer({ title: 'Min' });
    await world.query(
      `with added as (
         insert into users (id, email, first_name, last_name)
         select ('00000000-0000-7000-8000-' || to_char(n, 'FM000000000000'))::uuid, n || '@example.no', 'Per', n::text
         from generate_series(1, 100) as n returning id)
       insert into memberships (tenant_id, user_id) select $1, id from added`,
      [workspace.id],
    );
    const { page, open } = await enter(workspace);
    await open('/offers?tab=list');
    await page.getByRole('button', { name: 'Eier', exact: true }).click();
    await page.getByRole('menuitemradio', { name: /^Ola/ }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('user_id')).toBe(id);
    await page.getByRole('button', { name: 'Nytt tilbud' }).click();
    await page.getByRole('dialog', { name: 'Nytt tilbud' }).getByRole('button', { name: /^Ola/ }).waitFor();
  });

  test('a phone shows one column at a time, and a move leaves the focus where one was', async () => {
    const workspace = await world.workspace();
    await workspace.offer({ title: 'Første' });
    await workspace.offer({ title: 'Andre' });
    const { page, open } = await enter(workspace, { screen: 'phone' });
    await open('/offers');
    await page.getByRole('button', { name: /^Flytt Første, .+/ }).tap();
    await page.getByRole('menuitem', { name: 'Sendt' }).tap();
    await expect.poll(() => titlesIn(page, 'Ny')).toEqual(['Andre']);
    await expect.poll(() => focusedCard(page)).toBe('Andre');
    await page.getByRole('tab', { name: /^Sendt/ }).click();
    await expect.poll(() => titlesIn(page, 'Sendt')).toEqual(['Første']);
  });

  test('where all offers were closed long ago, the board and the sums say so, and lead to them', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ status: 'rejected' });
    await world.query("update offers set status_since = now() - interval '40 days' where id = $1", [id]);
    const { page, open } = await enter(workspace);
    await open('/offers');
    await page.getByText('avsluttet de siste 30 dagene').waitFor();
    await page.getByRole('link', { name: 'Se alle i listen' }).click();
    await page.getByRole('row', { name: 'Avtale' }).waitFor();
    await open(`/offers?user_id=${workspace.owner.id}`);
    await page.getByRole('link', { name: /^Se alle.*Avslått$/ }).waitFor();
    expect(await axe(page)).toEqual([]);
    await open(`/offers?tab=sums&user_id=${workspace.owner.id}`);
    await page.getByText('Eieren har ingen tilbud som er åpne eller avsluttet de siste 30 dagene.').waitFor();
  });

  test('j and k move in a column, from anywhere to the first card', async () => {
    const workspace = await world.workspace();
    await workspace.offer({ title: 'Andre' });
    await workspace.offer({ title: 'Første' });
    const { page, open } = await enter(workspace);
    await open('/offers');
    await expect.poll(() => titlesIn(page, 'Ny')).toHaveLength(2);
    const [first, second] = await titlesIn(page, 'Ny');
    for (const [key, title] of [
      ['j', first],
      ['j', second],
      ['j', second],
      ['k', first],
      ['k', first],
    ]) {
      await page.keyboard.press(key!);
      await expect.poll(() => focusedCard(page)).toBe(title);
    }
  });

  test.each(['at once', 'late'])(
    'more of a column keeps the focus: on the button while it is read, then on the first card that it brings; it is rendered %s',
    async (when) => {
      const workspace = await world.workspace();
      const { id } = await workspace.offer();
      await world.query(
        `insert into offers (tenant_id, id, title, company_id, user_id, status, one_time_revenue, recurring_revenue,
         recurring_frequency, weight, updated_at, status_since)
       select tenant_id, gen_random_uuid(), 'Tilbud ' || n, company_id, user_id, status, 1, 0, recurring_frequency,
         weight, updated_at, status_since + n * interval '1 second'
       from offers, generate_series(2, 60) as n where id = $1`,
        [id],
      );
      const { page, open, runFirst } = await enter(workspace);
      if (when === 'late') await runFirst(SLOW_PAGES.rendering);
      await open('/offers');
      const held = Promise.withResolvers<void>();
      await page.route('**/app/api/offers/board?*limit=100*', async (route) => {
        await held.promise;
        await route.continue();
      });
      const more = page.getByRole('button', { name: 'Vis flere' });
      await more.focus();
      await more.press('Enter');
      await expect.poll(() => more.getAttribute('aria-disabled')).toBe('true');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Vis flere');
      held.resolve();
      await expect.poll(() => focusedCard(page)).toBe('Tilbud 51');
      expect(await more.count()).toBe(0);
    },
  );

  test.each(['wide', 'phone'] as const)(
    '%s: a column has its place before its cards come',
    async (screen) => {
      const workspace = await world.workspace();
      await workspace.offer();
      const { page, open } = await enter(workspace, { screen });
      const held = Promise.withResolvers<void>();
      await page.route('**/app/api/offers/board?*', async (route) => {
        await held.promise;
        await route.continue();
      });
      await open('/offers');
      const skeleton = page.locator('.skeleton').first();
      await skeleton.waitFor();
      const { x, y } = (await skeleton.boundingBox())!;
      held.resolve();
      const card = page.locator('.column-item').first();
      await card.waitFor();
      expect(await card.boundingBox()).toMatchObject({ x, y });
    },
  );
});
