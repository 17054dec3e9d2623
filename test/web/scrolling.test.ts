import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('a page', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('opens at its top after one that was scrolled, which is where it was when one goes back to it', async () => {
    const workspace = await world.workspace();
    await world.query(
      `insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
       select $1, gen_random_uuid(), (100000000 + n)::text, 'Bedrift ' || n, 'lead', 'brreg', 'AS', now(), 1, '62.010'
       from generate_series(1, 90) as n`,
      [workspace.id],
    );
    await world.query(
      `insert into contacts (tenant_id, id, name, notes)
       select $1, gen_random_uuid(), 'Kontakt ' || n, '' from generate_series(1, 60) as n`,
      [workspace.id],
    );
    const { page, open } = await enter({ world, visit }, workspace);
    const top = () => page.evaluate(`document.querySelector('.table-body').scrollTop`);
    const rows = (name: string) => page.locator('.table-link', { hasText: name }).first();
    await open('/companies');
    await rows('Bedrift').waitFor();
    await page.locator('.table-body').hover();
    await page.mouse.wheel(0, 900);
    await expect.poll(top).toBe(900);
    // With its data read ahead, the list is there at once.
    const prepared = page.waitForResponse(/\/contacts\/rows/);
    const link = page.getByRole('link', { name: 'Kontakter', exact: true }).first();
    await link.hover();
    await (await prepared).finished();
    await link.click();
    // It is scrolled after it is shown.
    await rows('Kontakt').waitFor();
    await expect.poll(top).toBe(0);
    await page.goBack();
    await rows('Bedrift').waitFor();
    await expect.poll(top).toBe(900);
  });

  test('shows whole cards, rows and tasks also in a window that is hardly higher than its bars', async () => {
    const workspace = await world.workspace();
    const { id: company_id } = await workspace.company();
    for (let n = 1; n <= 3; n += 1) await workspace.offer({ company_id, title: `Tilbud ${n}` });
    const gone = await workspace.company();
    await workspace.deleteCompany(gone.orgnr);
    await world.query(
      `insert into contacts (tenant_id, id, name, notes)
       select $1, gen_random_uuid(), 'Kontakt ' || n, '' from generate_series(1, 150) as n`,
      [workspace.id],
    );
    for (let n = 1; n <= 9; n += 1) await workspace.task({ title: `Oppgave ${n}` });
    const { page, open, go } = await enter({ world, visit }, workspace);
    await page.setViewportSize({ width: 683, height: 316 });
    await open('/offers');
    for (const title of ['Tilbud 1', 'Tilbud 3']) {
      const card = page.locator('.column-item', { hasText: title });
      await expect.poll(() => scrolledTo(card)).toBeGreaterThan(0.99);
    }
    await go(`/companies/${gone.orgnr}`);
    const entry = page.locator('.page-body').getByText('la til selskapet');
    await expect.poll(() => scrolledTo(entry)).toBeGreaterThan(0.99);

    await page.setViewportSize({ width: 320, height: 256 });
    const focused = page.locator(':focus');
    await go('/contacts');
    await page.locator('[data-index="0"]').focus();
    // The end is where the list is read on.
    await page.keyboard.press('End');
    await page.locator('.table[aria-rowcount="151"]').waitFor();
    await page.keyboard.press('End');
    await page.locator('[data-index="149"]:focus').waitFor();
    await expect.poll(() => shown(focused)).toBeGreaterThan(0.99);
    await go('/tasks');
    await page.getByRole('row', { name: 'Oppgave 1' }).focus();
    await page.keyboard.press('End');
    await page.getByRole('row', { name: 'Oppgave 9' }).and(focused).waitFor();
    await expect.poll(() => shown(focused)).toBeGreaterThan(0.99);
  });
});

/** How much of an element is in view after scrolling to it. What is read meanwhile may move it out of view again. */
async function scrolledTo(place: Locator): Promise<number> {
  await place.scrollIntoViewIfNeeded();
  return shown(place);
}

/** How much of an element is in view. Slightly less than 1 may be a part of a pixel. */
function shown(place: Locator): Promise<number> {
  return place.evaluate((it) => {
    const { IntersectionObserver: Observer } = globalThis as unknown as Watching;
    return new Promise<number>((done) => {
      new Observer(([at]) => done(at.intersectionRatio)).observe(it);
    });
  });
}

/** As much of a browser as is asked here; the tests are compiled without the DOM. */
type Watching = {
  IntersectionObserver: new (see: (changes: [{ intersectionRatio: number }]) => void) => {
    observe(element: unknown): void;
  };
};
