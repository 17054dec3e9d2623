import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();

const names = (page: Page) => page.locator('.table-body .table-link').allTextContents();
const header = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true });
const sortOf = (page: Page, name: string) => header(page, name).getAttribute('aria-sort');

/** Puts a time of its own on each row, in this order. */
async function touch(table: 'companies' | 'contacts', ids: readonly string[]) {
  for (const [at, id] of ids.entries()) {
    const changed = `2026-03-0${at + 1}T12:00:00Z`;
    await world.query(`update ${table} set updated_at = $1 where id = $2`, [changed, id]);
  }
}

describe.skipIf(CHROMIUM === undefined)('a filter and a search', () => {
  test('begin a list that was scrolled at its top, also where they find the same rows', async () => {
    const workspace = await world.workspace();
    const { id: company_id } = await workspace.company();
    for (let n = 1; n <= 50; n += 1) {
      await workspace.contact({ name: `Kontakt ${n}` });
      await workspace.offer({ company_id });
    }
    const { page, open, go } = await enter({ world, visit }, workspace);
    const top = () => page.evaluate(`document.querySelector('.table-body').scrollTop`);
    const scroll = async () => {
      await page.locator('.table-body [data-index="0"]').waitFor();
      await page.locator('.table-body').hover();
      await page.mouse.wheel(0, 900);
      await expect.poll(top).toBeGreaterThan(300);
    };
    await open('/contacts');
    await scroll();
    await page.getByRole('searchbox').fill('Kontakt');
    await expect.poll(() => new URL(page.url()).search).toBe('?q=Kontakt');
    await expect.poll(top).toBe(0);
    await page.locator('[role=row][tabindex="0"][data-index="0"]').waitFor();

    await go('/offers?tab=list');
    await scroll();
    await page.getByRole('button', { name: 'Eier', exact: true }).click();
    await page.getByRole('menuitemradio', { name: /^Ola/ }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('user_id')).toBe(workspace.owner.id);
    await expect.poll(top).toBe(0);

    await go('/settings/history');
    await scroll();
    await page.getByRole('button', { name: /^Periode/ }).click();
    await page.getByRole('menuitemradio').nth(1).click();
    await expect.poll(top).toBe(0);
  });
});

describe.skipIf(CHROMIUM === undefined)('the heads of columns', () => {
  test('sort companies by name, which goes one way, and by when they changed, where that is shown', async () => {
    const workspace = await world.workspace();
    const companies = [await workspace.company(), await workspace.company(), await workspace.company()];
    await touch(
      'companies',
      companies.map(({ id }) => id),
    );
    const changed = companies.map(({ name }) => name);
    const { page, open, show } = await enter({ world, visit }, workspace);
    await open('/companies');
    const byName = page.getByRole('button', { name: 'Navn', exact: true });
    await expect.poll(() => names(page)).toHaveLength(3);
    const named = await names(page);
    expect(await sortOf(page, 'Navn')).toBe('ascending');
    expect(await byName.getAttribute('aria-disabled')).toBe('true');
    await byName.click({ force: true });
    expect(new URL(page.url()).search).toBe('');

    await page.getByRole('button', { name: 'Tilpass', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Endret' }).click();
    await page.keyboard.press('Escape');
    const byChange = page.getByRole('button', { name: 'Endret', exact: true });
    await byChange.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(changed.toReversed());
    expect([await sortOf(page, 'Endret'), await sortOf(page, 'Navn')]).toEqual(['descending', null]);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-updated_at');
    await page.getByRole('gridcell', { name: '03.03.2026' }).waitFor();
    // What was pressed keeps the focus.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Endret');
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(changed);
    expect(await sortOf(page, 'Endret')).toBe('ascending');
    expect(await axe(page)).toEqual([]);
    await byName.click();
    await expect.poll(() => names(page)).toEqual(named);
    expect(new URL(page.url()).searchParams.has('sort')).toBe(false);

    // All columns at once are more than there is room for: none is cut, and the table scrolls.
    await open(
      '/companies?columns=status,assignee,next,orgnr,form,employees,industry,phone,email,website,registered,changed',
    );
    await header(page, 'Registrert').waitFor();
    expect(
      await page
        .locator('.table-head .truncate')
        .evaluateAll((heads) =>
          heads
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map((it) => it.textContent),
        ),
    ).toEqual([]);
    const isScrolled = await page.locator('.table').evaluate((it) => it.scrollWidth > it.clientWidth);
    expect(isScrolled).toBe(true);

    // A phone has no columns to choose.
    await show('phone');
    await page.getByRole('button', { name: 'Sortering: Navn' }).click();
    await page.getByRole('menuitemradio', { name: 'Sist endret' }).waitFor();
    expect(await page.getByRole('menuitemcheckbox').count()).toBe(0);
  });

  test('sort contacts, and a menu does where they are not shown: less wide, and on a phone', async () => {
    const workspace = await world.workspace();
    const contacts = [];
    for (const name of ['Bente', 'Anne', 'Cato']) contacts.push(await workspace.contact({ name }));
    await touch(
      'contacts',
      contacts.map(({ id }) => id),
    );
    const { page, open, show } = await enter({ world, visit }, workspace);
    await open('/contacts');
    await expect.poll(() => names(page)).toEqual(['Anne', 'Bente', 'Cato']);
    expect(await sortOf(page, 'Navn')).toBe('ascending');
    await expect.poll(() => header(page, 'Endret').count()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Endret', exact: true }).click();
    await expect.poll(() => names(page)).toEqual(['Cato', 'Anne', 'Bente']);
    expect([await sortOf(page, 'Endret'), await sortOf(page, 'Navn')]).toEqual(['descending', null]);
    await page.getByRole('gridcell', { name: '03.03.2026' }).waitFor();

    await show('phone');
    await page.getByRole('button', { name: 'Sortering: Sist endret' }).click();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('menuitemradio', { name: 'Lengst urørt' }).click();
    await expect
      .poll(() => page.locator('.table-phone > :first-child').allTextContents())
      .toEqual(['Bente', 'Anne', 'Cato']);
    await page.getByRole('button', { name: 'Sortering: Lengst urørt' }).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('sort offers, whose menu names the sorts that no column of a narrow window shows', async () => {
    const workspace = await world.workspace();
    for (const title of ['Første', 'Andre']) await workspace.offer({ title });
    const { page, open } = await enter({ world, visit }, workspace, { language: 'en' });
    await open('/offers?tab=list');
    await expect.poll(() => names(page)).toEqual(['Andre', 'Første']);
    const since = page.getByRole('button', { name: 'In status since', exact: true });
    await since.click();
    await expect.poll(() => names(page)).toEqual(['Første', 'Andre']);
    expect(await sortOf(page, 'In status since')).toBe('ascending');
    await since.click();
    await expect.poll(() => names(page)).toEqual(['Andre', 'Første']);
    expect(await sortOf(page, 'In status since')).toBe('descending');
    await page.getByRole('button', { name: 'Sorting: Shortest in status' }).click();
    await page.getByRole('menuitemradio', { name: 'Last changed' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=list');
  });

  test('begin a list that was scrolled at its top', async () => {
    const workspace = await world.workspace();
    await world.query(
      `with made as (
         insert into contacts (tenant_id, id, name, notes)
         select $1, gen_random_uuid(), 'Kontakt ' || to_char(n, 'FM0000'), '' from generate_series(1, 130) n
         returning *)
       select count(*) from made`,
      [workspace.id],
    );
    const { page, open } = await enter({ world, visit }, workspace);
    await page.setViewportSize({ width: 1440, height: 900 });
    await open('/contacts');
    await page.getByText('Kontakt 0001').waitFor();
    await page.locator('[data-index="0"]').focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.locator('[role=row]:focus').textContent();
      })
      .toContain('Kontakt 0130');
    await page.getByRole('button', { name: 'Endret', exact: true }).click();
    await expect.poll(() => page.evaluate(`document.querySelector('.table-body').scrollTop`)).toBe(0);
    await page.locator('[role=row][tabindex="0"][data-index="0"]').waitFor();
  });
});
