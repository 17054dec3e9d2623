import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

const MOST = Number.MAX_SAFE_INTEGER;

/** As much of an element as is asked here. */
type Part = {
  scrollWidth: number;
  clientWidth: number;
  getBoundingClientRect(): { right: number };
  ownerDocument: { documentElement: { clientWidth: number } };
};

describe.skipIf(CHROMIUM === undefined)('list and sums of offers', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

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

  test('an owner can be chosen from more members than a page of them holds', async () => {
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
});
