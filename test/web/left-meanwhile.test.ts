import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { holdWrites } from './hold-writes.ts';
import { entrance, messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('a form that is left while it is saved', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('leads nowhere: a company and a contact are added, and the page stays', async () => {
    const workspace = await world.workspace();
    const { page, open, go } = await enter(workspace);
    await open('/companies');
    await page.getByText('Her kommer selskapene').waitFor();
    await page.keyboard.press('n');
    await page.getByPlaceholder('Navn eller organisasjonsnummer').fill('923609016');
    // The name waits for the answer: until then, the one item is the note on the sandbox, which names Equinor, too.
    await page.getByRole('menuitem', { name: /^EQUINOR ASA/ }).click();
    const company = await holdWrites(page);
    await page.getByRole('button', { name: /^Legg til .*Equinor/i }).click();
    await company.asked;
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    company.letGo(undefined);
    await expect.poll(() => messages(page)).toMatch(/Equinor/i);
    await page.getByRole('row', { name: /Equinor/i }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/companies');

    await page.unroute('**/app/api/**');
    await go('/contacts');
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Navn' }).fill('Kari Nordmann');
    const contact = await holdWrites(page);
    await page.keyboard.press('Enter');
    await contact.asked;
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    contact.letGo(undefined);
    await page.getByRole('row', { name: 'Kari Nordmann' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/contacts');
  });

  test('leads nowhere from an empty home, and what failed is told', async () => {
    const { page, open, go } = await enter(await world.workspace());
    const addFromHome = async () => {
      await page.getByRole('combobox').fill('923609016');
      await page.getByRole('option', { name: /^EQUINOR ASA/ }).waitFor();
      const held = await holdWrites(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await held.asked;
      await go('/tasks');
      return held.letGo;
    };
    await open('/');
    (await addFromHome())(503);
    await expect.poll(() => messages(page)).toContain('Tjenesten er utilgjengelig');
    await page.unroute('**/app/api/**');
    await go('/');
    (await addFromHome())(undefined);
    await expect.poll(() => messages(page)).toMatch(/Equinor.* er lagt til/i);
    expect(new URL(page.url()).pathname).toBe('/tasks');
  });

  test('is empty when its task was added meanwhile', async () => {
    const { page, open, go } = await enter(await world.workspace());
    await open('/tasks');
    const field = page.getByRole('textbox', { name: 'Ny oppgave' });
    await field.fill('Ring Kari');
    const { asked, letGo } = await holdWrites(page);
    await field.press('Enter');
    await asked;
    await go('/');
    letGo(undefined);
    await expect.poll(() => messages(page)).toContain('Lagt til: Ring Kari');
    await page.unroute('**/app/api/**');
    await go('/tasks');
    await page.getByRole('row', { name: 'Ring Kari' }).waitFor();
    expect(await field.inputValue()).toBe('');
  });

  test('takes nothing more: what is typed or chosen then would be lost with it', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Legg til e-post' }).click();
    const field = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    const type = page.getByRole('button', { name: /Type/ });
    await field.fill('kari@example.no');
    const { asked, letGo } = await holdWrites(page);
    await field.press('Enter');
    await asked;
    await page.keyboard.type('m');
    expect(await field.evaluate((it) => [it.ownerDocument.activeElement === it, it.readOnly])).toEqual([
      true,
      true,
    ]);
    await type.press('ArrowRight');
    letGo(503);
    await page.getByText('Tjenesten er utilgjengelig').waitFor();
    expect(await field.inputValue()).toBe('kari@example.no');
    await type.getByText('E-post').waitFor();
    await field.press('End');
    await page.keyboard.type('t');
    await page.unroute('**/app/api/**');
    await field.press('Enter');
    await page.getByRole('link', { name: 'kari@example.not' }).waitFor();
  });

  test('leads nobody away who has gone on: an offer is deleted, and a contact merged', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ title: 'Avtale' });
    const kept = await workspace.contact({ name: 'Kari Nordmann' });
    const gone = await workspace.contact({ name: 'Kari Berg' });
    const { page, open, go } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Flere valg' }).click();
    const deletion = await holdWrites(page);
    await page.getByRole('menuitem', { name: 'Slett' }).click();
    await deletion.asked;
    await go('/tasks');
    deletion.letGo(undefined);
    await expect.poll(() => messages(page)).toContain('Avtale er slettet');
    expect(new URL(page.url()).pathname).toBe('/tasks');

    await page.unroute('**/app/api/**');
    await go(`/contacts/${kept.id}`);
    await page.getByRole('button', { name: 'Flere valg' }).click();
    await page.getByRole('menuitem', { name: 'Slå sammen med' }).click();
    await page.getByRole('combobox').fill(gone.name);
    await page.getByRole('option', { name: gone.name }).click();
    const action = page.getByRole('button', { name: 'Slå sammen med Kari Berg' });
    await action.waitFor();
    const merge = await holdWrites(page);
    await action.click();
    await merge.asked;
    await page.goBack();
    await page.getByRole('heading', { name: 'Oppgaver', level: 1 }).waitFor();
    merge.letGo(undefined);
    await expect.poll(() => messages(page)).toContain('Kari Berg er nå en del av Kari Nordmann');
    await expect.poll(async () => (await workspace.client.get(`/contacts/${gone.id}`)).status).toBe(404);
    expect(new URL(page.url()).pathname).toBe('/tasks');
  });
});
