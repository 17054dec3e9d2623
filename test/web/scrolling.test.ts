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
    // Prepared, the list is there at once.
    const prepared = page.waitForResponse(/\/contacts\/rows/);
    const link = page.getByRole('link', { name: 'Kontakter', exact: true }).first();
    await link.hover();
    await (await prepared).finished();
    await link.click();
    await rows('Kontakt').waitFor();
    expect(await top()).toBe(0);
    await page.goBack();
    await rows('Bedrift').waitFor();
    expect(await top()).toBe(900);
  });
});
