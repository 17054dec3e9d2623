import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';
import { columnOf, focusedCard, messages, titlesIn } from './offer-board.ts';

/** Presses a button as somebody does who has no pointer. */
async function press(page: Page, name: string) {
  // An open list on the way there hides what is around it.
  const button = page.getByRole('button', { name, exact: true, includeHidden: true });
  await button.waitFor();
  const isFocused = () => button.evaluate((it) => it === it.ownerDocument.activeElement);
  for (let tabs = 0; tabs < 100 && !(await isFocused()); tabs++) await page.keyboard.press('Tab');
  expect(await isFocused()).toBe(true);
  await page.keyboard.press('Enter');
}

/** Role or element that has the focus, and how its text begins. */
function focusedElement(page: Page): Promise<string> {
  return page.evaluate(
    '`${document.activeElement.getAttribute("role") ?? document.activeElement.localName} ${document.activeElement.innerText.split("\\n")[0]}`',
  );
}

describe.skipIf(CHROMIUM === undefined)('the focus, by keyboard alone,', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('is on the heading of a company that has left the archive or was restored, and a message says so', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    await workspace.archiveCompany(orgnr);
    const { page, open } = await enter({ world, visit }, workspace);
    await open(`/companies/${orgnr}`);
    await press(page, 'Hent fra arkivet');
    await page.getByText('Selskapet er arkivert. Det står').waitFor({ state: 'detached' });
    await expect.poll(() => messages(page)).toContain('Selskapet er hentet fra arkivet');
    await expect.poll(() => focusedElement(page)).toBe(`h1 ${name}`);

    await (await workspace.signIn()).delete(`/companies/${orgnr}`);
    await page.getByText('Integrasjoner får 404').waitFor();
    await press(page, 'Gjenopprett');
    await page.getByText('Integrasjoner får 404').waitFor({ state: 'detached' });
    await expect.poll(() => messages(page)).toContain(`${name} er gjenopprettet`);
    await expect.poll(() => focusedElement(page)).toBe(`h1 ${name}`);
  });

  test('is on the heading after another try, and of a company that was added where it was missing', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    const rows = /\/contacts\/rows/;
    await page.route(rows, (route) =>
      route.fulfill({ status: 429, json: { error: 'x', code: 'rate_limited' } }),
    );
    await open('/contacts');
    await page.getByText('For mange forespørsler').waitFor();
    await page.unroute(rows);
    await press(page, 'Prøv igjen');
    await page.getByText('Her kommer menneskene').waitFor();
    await expect.poll(() => focusedElement(page)).toBe('h1 Kontakter');

    await open('/companies/923609016');
    await page.getByRole('button', { name: 'Legg til selskapet' }).waitFor();
    // The page of the company needs no further answer.
    await page.route(/\/api\/companies\/923609016$/, () => undefined);
    await press(page, 'Legg til selskapet');
    await page.getByRole('heading', { name: 'EQUINOR ASA' }).waitFor();
    await expect.poll(() => focusedElement(page)).toBe('h1 EQUINOR ASA');
  });

  test('stays where it is when a list that had failed, without having it, is read again by itself', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    const rows = /\/contacts\/rows/;
    await page.route(rows, (route) =>
      route.fulfill({ status: 429, json: { error: 'x', code: 'rate_limited' } }),
    );
    await open('/contacts');
    await page.getByText('For mange forespørsler').waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.unroute(rows);
    await workspace.contact({ name: 'Kari Nordmann' });
    await page.getByRole('row', { name: 'Kari Nordmann' }).waitFor();
    const frame = 'new Promise((done) => requestAnimationFrame(done))';
    for (let frames = 0; frames < 4; frames++) await page.evaluate(frame);
    expect(await page.evaluate('document.activeElement.localName')).toBe('body');
  });

  test('is on the list after the way back to it from a company, and when nothing in it is chosen any more', async () => {
    const workspace = await world.workspace();
    const companies = [await workspace.company(), await workspace.company(), await workspace.company()];
    for (const { orgnr } of companies) await workspace.archiveCompany(orgnr);
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/companies?archived=true');
    await page.getByRole('row', { name: companies[0].name }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('Selskapet er arkivert. Det står').waitFor();
    await expect.poll(() => focusedElement(page)).toMatch(/^h1 /);
    await page.goBack();
    await expect.poll(() => focusedElement(page)).toBe('h1 Selskaper');

    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await press(page, 'Hent fra arkivet');
    await expect.poll(() => page.locator('.table-body [role=row]').count()).toBe(2);
    await expect.poll(() => messages(page)).toContain('1 selskap er endret');
    // The company is no longer in this list, so it is not chosen any more.
    await page.getByRole('button', { name: 'Velg ingen' }).waitFor({ state: 'detached' });
    await expect.poll(() => focusedElement(page)).toMatch(/^row /);
    await page.keyboard.press('x');
    await press(page, 'Velg ingen');
    await expect.poll(() => focusedElement(page)).toMatch(/^row /);
    await page.keyboard.press('x');
    const none = page.getByRole('button', { name: 'Velg ingen' });
    await none.waitFor();
    await page.keyboard.press('Escape');
    await none.waitFor({ state: 'detached' });
    await expect.poll(() => focusedElement(page)).toMatch(/^row /);

    const box = page.locator('.table-body [role=row]').first().getByRole('checkbox');
    await box.click();
    await none.waitFor();
    await page.keyboard.press('Escape');
    await none.waitFor({ state: 'detached' });
    expect(await box.isChecked()).toBe(false);
    await box.click();
    await none.focus();
    await page.keyboard.press('Escape');
    await none.waitFor({ state: 'detached' });
    await expect.poll(() => focusedElement(page)).toMatch(/^row /);
  });

  test('stays in the list when somebody else takes away the row that has it', async () => {
    const workspace = await world.workspace();
    const companies = [await workspace.company(), await workspace.company(), await workspace.company()];
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/companies');
    await page.getByRole('row', { name: companies[0].name }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const had = await focusedElement(page);
    expect(had).toMatch(/^row /);
    const taken = companies.find(({ name }) => had.includes(name))!;
    await (await workspace.signIn()).delete(`/companies/${taken.orgnr}`);
    await expect.poll(() => page.locator('.table-body [role=row]').count()).toBe(2);
    await expect.poll(() => focusedElement(page)).toMatch(/^row /);
    expect(await focusedElement(page)).not.toBe(had);
  });

  test('is on the heading of home when demo data is removed, and messages say what happens', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/');
    await press(page, 'Legg inn demodata');
    await page.getByText('Du ser på demodata').waitFor();
    await expect.poll(() => messages(page)).toContain('Demodata er lagt inn');
    await expect.poll(() => focusedElement(page)).toBe('h1 Hjem');
    await press(page, 'Fjern demodata');
    await page.getByRole('heading', { name: 'Kom i gang' }).waitFor();
    await expect.poll(() => messages(page)).toContain('Demodata er fjernet');
    await expect.poll(() => focusedElement(page)).toBe('h1 Hjem');
  });

  test('is on the card again when its move on the board is undone', async () => {
    const workspace = await world.workspace();
    await workspace.offer();
    await workspace.offer({ title: 'En annen' });
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/offers');
    await columnOf(page, 'Ny').getByRole('button', { name: 'Flytt Avtale' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Akseptert' }).press('Enter');
    await expect.poll(() => messages(page)).toContain('Vekten er satt til 100');
    await expect.poll(() => focusedCard(page)).toBe('Avtale');
    await press(page, 'Angre');
    await expect.poll(() => titlesIn(page, 'Ny')).toContain('Avtale');
    await expect.poll(() => page.locator('.toast').count()).toBe(0);
    await expect.poll(() => focusedCard(page)).toBe('Avtale');
  });

  test('is on the button of the person again after Escape, from the first time on', async () => {
    const { page, open } = await enter({ world, visit }, await world.workspace());
    await open('/');
    for (let time = 0; time < 2; time++) {
      await page.locator('.person-button').press('Enter');
      await page.getByRole('menu').waitFor();
      await expect.poll(() => focusedElement(page)).toMatch(/^menu/);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate('document.activeElement.matches(".person-button")')).toBe(true);
    }
  });
});
