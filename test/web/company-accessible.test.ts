import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('the page of a company', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('has nothing that axe objects to on any tab, wide and on a phone', async () => {
    const workspace = await world.workspace();
    const { id, orgnr } = await workspace.company();
    const contact = await workspace.contact();
    await workspace.client.post(`/contacts/${contact.id}/companies`, { company_id: id, role: 'Innkjøper' });
    await workspace.task({ related_company_id: id });
    await workspace.offer({ company_id: id, one_time_revenue: 9_007_199_254_740_991 });
    await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
    const { page, open, go, show } = await enter(workspace);
    const tabs = page.getByRole('navigation', { name: 'Deler av siden' });
    const walkTabs = async (names: string[]) => {
      for (const name of names) {
        const tab = tabs.getByRole('link', { name });
        await tab.click();
        await expect.poll(() => tab.getAttribute('aria-current')).not.toBeNull();
        await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
        expect([name, await axe(page)]).toEqual([name, []]);
      }
    };
    await open(`/companies/${orgnr}`);
    await walkTabs(['Kontakter', 'Oppgaver', 'Tilbud', 'Tidslinje']);
    await show('phone');
    await walkTabs(['Kontakter', 'Oppgaver', 'Tilbud', 'Detaljer', 'Tidslinje']);
    // The counts come after the tabs, and make them wider than the phone.
    const counted = Promise.withResolvers<void>();
    await page.route('**/counts', async (route) => {
      await counted.promise;
      await route.fallback();
    });
    await open(`/companies/${orgnr}?tab=details`);
    const last = tabs.getByRole('link', { name: 'Detaljer' });
    await last.waitFor();
    counted.resolve();
    await tabs.getByRole('link', { name: 'Kontakter 1' }).waitFor();
    const end = async () => {
      const { x, width } = (await last.boundingBox())!;
      return x + width;
    };
    await expect.poll(end).toBeLessThanOrEqual(390);
    await (await workspace.signIn()).delete(`/companies/${orgnr}`);
    await page.getByText('Integrasjoner får 404').waitFor();
    await go('/companies/923609016');
    await page.getByText('EQUINOR ASA').waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    expect(await axe(page)).toEqual([]);
    await show('wide');
    expect(await axe(page)).toEqual([]);
    await page.goBack();
    await page.getByText('Integrasjoner får 404').waitFor();
    expect(await axe(page)).toEqual([]);
    await show('phone');
    expect(await axe(page)).toEqual([]);
  });
});
