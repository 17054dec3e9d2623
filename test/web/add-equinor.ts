import { expect } from 'vitest';
import { axe, type Visit } from '../browser.ts';
import type { Workspace } from '../world.ts';

/** From the list: finds a company by name, adds it by keyboard, and meets it again by its number. */
export async function addEquinor({ page, go }: Visit, workspace: Workspace, language: 'nb' | 'en') {
  const isNorwegian = language === 'nb';
  const button = page.getByRole('button', { name: isNorwegian ? 'Legg til selskap' : 'Add company' });
  const hint = isNorwegian ? 'Navn eller organisasjonsnummer' : 'Name or organisation number';
  await button.first().click();
  // The search for Telenor is answered first, then in the same list that for Equinor.
  await page.getByPlaceholder(hint).fill('telenor asa');
  await page.getByRole('menuitem', { name: /TELENOR ASA/ }).waitFor();
  expect(await axe(page)).toEqual([]);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/register?**', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByPlaceholder(hint).fill('equinor asa');
  // A result of the earlier text is not chosen.
  await page.keyboard.press('Enter');
  release();
  await page.getByRole('menuitem', { name: 'EQUINOR ASA 923 609 016' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText(isNorwegian ? 'Næringskode 06.100' : 'Industry code 06.100').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/companies/923609016');
  await page.getByRole('heading', { name: 'EQUINOR ASA' }).waitFor();
  const { body } = await workspace.client.get('/companies/923609016');
  expect(body.data.source).toBe('application');

  await go('/companies');
  await button.first().click();
  await page.getByPlaceholder(hint).fill('NO 923 609 016 MVA');
  await page.getByRole('menuitem', { name: 'EQUINOR ASA 923 609 016' }).waitFor();
  await page.getByText(isNorwegian ? 'Finnes her' : 'Already here').waitFor();
}
