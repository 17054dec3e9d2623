import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('the tabs of a company', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('offer a contact to be linked however many with the same name are linked already', async () => {
    const workspace = await world.workspace();
    const { id, orgnr } = await workspace.company();
    await workspace.contact({ name: 'Kari Berg' });
    for (let at = 0; at < 10; at++) {
      const contact = await workspace.contact({ name: `Kari A${at}` });
      await workspace.client.post(`/contacts/${contact.id}/companies`, { company_id: id });
    }
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}?tab=contacts`);
    await page.getByRole('button', { name: 'Knytt til en kontakt' }).press('Enter');
    for (const text of ['kari', '']) {
      await page.getByRole('combobox', { name: 'Kontakt' }).fill(text);
      await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Kari Berg']);
    }
  });

  test('take back a task, an offer or a link that was just added', async () => {
    const workspace = await world.workspace();
    const { id, orgnr } = await workspace.company();
    const contact = await workspace.contact({ name: 'Kari Berg' });
    const { page, open } = await enter(workspace);
    const count = async (path: string) => (await workspace.client.get(path)).body.data.length;
    const undo = async (path: string) => {
      await expect.poll(() => count(path)).toBe(1);
      await page.getByRole('button', { name: 'Angre' }).last().press('Enter');
      await expect.poll(() => count(path)).toBe(0);
    };
    await open(`/companies/${orgnr}?tab=tasks`);
    await page.getByRole('button', { name: 'Ny oppgave' }).press('Enter');
    await page.getByLabel('Hva skal gjøres').fill('Send avtalen');
    await page.keyboard.press('Enter');
    await undo(`/tasks?company_id=${id}`);
    await page.getByText('Her kommer det som skal gjøres for selskapet.').waitFor();

    await page.getByRole('link', { name: 'Tilbud' }).last().click();
    await page.getByRole('button', { name: 'Nytt tilbud' }).press('Enter');
    await page.getByLabel('Hva tilbudet gjelder').fill('Serviceavtale');
    await page.keyboard.press('Enter');
    await undo(`/offers?company_id=${id}`);

    await page.getByRole('link', { name: 'Kontakter' }).last().click();
    await page.getByRole('button', { name: 'Knytt til en kontakt' }).press('Enter');
    await page.getByRole('combobox', { name: 'Kontakt' }).fill('kari');
    await page.getByRole('option', { name: 'Kari Berg' }).click();
    await page.getByRole('button', { name: 'Legg til', exact: true }).press('Enter');
    await undo(`/contacts/${contact.id}/companies`);
  });

  test('have one form open, and give the focus to the button of the one that was', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}?tab=contacts`);
    await page.getByRole('button', { name: 'Ny kontakt' }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Navn').fill('Åse');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('searchbox').fill('knytt');
    await page.getByRole('menuitem', { name: 'Knytt til en kontakt' }).waitFor();
    await page.keyboard.press('Enter');
    const whom = page.getByRole('combobox', { name: 'Kontakt' });
    await whom.waitFor();
    expect(await page.locator('.company-form').count()).toBe(1);
    await expect.poll(() => whom.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    // The open list hides the button.
    await page.getByRole('button', { name: 'Avbryt', includeHidden: true }).press('Enter');
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toBe('Knytt til en kontakt');
    // What was typed into the other one is kept.
    await page.keyboard.press('n');
    await expect.poll(() => page.getByLabel('Navn').inputValue()).toBe('Åse');
    await (await workspace.signIn()).delete(`/companies/${orgnr}`);
    await page.getByText('Integrasjoner får 404').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('h1');
  });
});
