import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

/** From now on, what is read there is never answered. */
async function holdReading(page: Page, path: string): Promise<void> {
  await page.route(path, (route) => (route.request().method() === 'GET' ? undefined : route.fallback()));
}

describe.skipIf(CHROMIUM === undefined)('what is saved, before it has been read again,', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test.each([
    ['offer', 'Tittel'],
    ['task', 'Hva skal gjøres'],
  ] as const)('is shown, and the next change of the %s is sent', async (kind, label) => {
    const workspace = await world.workspace();
    const { id } = await workspace[kind]({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    await open(kind === 'task' ? '/tasks?who=all' : `/offers/${id}`);
    if (kind === 'task') await page.getByRole('row', { name: 'Ring' }).press('Enter');
    const title = page.getByRole('button', { name: `Rediger ${label}` });
    await title.click();
    await holdReading(page, kind === 'task' ? '**/app/api/tasks/rows?*' : '**/app/api/offers/*/card');
    await page.getByRole('textbox', { name: label }).fill('Ring Kari');
    await page.keyboard.press('Enter');
    await page.getByText('Lagret').waitFor();
    await title.getByText('Ring Kari').waitFor();
    await page.getByRole('button', { name: 'Rediger Beskrivelse' }).click();
    await page.getByRole('textbox', { name: 'Beskrivelse' }).fill('Om tilbudet');
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(async () => (await workspace.client.get(`/${kind}s/${id}`)).body.data)
      .toMatchObject({ title: 'Ring Kari', description: 'Om tilbudet' });
  });

  test.each(['offer', 'task'] as const)(
    'is shown by its name where it is the company of the %s',
    async (kind) => {
      const workspace = await world.workspace();
      const { id } = await workspace[kind]({ title: 'Ring' });
      const { name } = await workspace.company();
      const { page, open } = await enter(workspace);
      await open(kind === 'task' ? '/tasks?who=all' : `/offers/${id}`);
      if (kind === 'task') await page.getByRole('row', { name: 'Ring' }).press('Enter');
      const company = page.getByRole('button', { name: 'Rediger Selskap' });
      await company.click();
      await holdReading(page, kind === 'task' ? '**/app/api/tasks/rows?*' : '**/app/api/offers/*/card');
      await page.getByRole('combobox', { name: 'Selskap' }).last().fill(name);
      await page.getByRole('option', { name }).click();
      await page.getByText('Lagret').waitFor();
      await expect.poll(() => company.textContent()).toContain(name);
    },
  );

  test('is shown, and the next change of the company is sent', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}`);
    await page.getByRole('button', { name: 'Rediger Telefon' }).click();
    await holdReading(page, '**/app/api/companies/*/timeline*');
    for (const [label, text] of [
      ['Telefon', '22 00 00 00'],
      ['Mobil', '900 11 222'],
    ] as const) {
      if (label === 'Mobil') await page.getByRole('button', { name: `Rediger ${label}` }).click();
      await page.getByRole('textbox', { name: label, exact: true }).fill(text);
      await page.keyboard.press('Enter');
    }
    await expect
      .poll(async () => (await workspace.client.get(`/companies/${orgnr}`)).body.data)
      .toMatchObject({ phone_number: '22 00 00 00', mobile_number: '900 11 222' });
    const note = page.getByRole('textbox', { name: 'Nytt notat' });
    await note.fill('Ringte');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Notatet er lagret').waitFor();
    await expect.poll(() => note.isEditable()).toBe(true);
  });

  test('and somebody else has changed another field of the company, is not in the way of the next change', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    // The page hears of nothing that others do.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    await open(`/companies/${orgnr}`);
    const read = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let isSaved = false;
    let isHeld = false;
    await page.route(`**/app/api/companies/${orgnr}`, async (route) => {
      const isReading = route.request().method() === 'GET';
      isSaved ||= !isReading;
      if (!isReading || !isSaved || isHeld) return route.fallback();
      isHeld = true;
      const response = await route.fetch();
      read.resolve();
      await held.promise;
      // The page may have given the request up by now.
      return route.fulfill({ response }).catch(() => {});
    });
    const save = async (label: string, text: string) => {
      await page.getByRole('button', { name: `Rediger ${label}` }).click();
      await page.getByRole('textbox', { name: label, exact: true }).fill(text);
      await page.keyboard.press('Enter');
    };
    await save('Telefon', '22 00 00 00');
    await read.promise;
    await workspace.client.patch(`/companies/${orgnr}`, { website_url: 'www.example.no' });
    const isRefused = page.waitForResponse((response) => response.status() === 412);
    await save('Mobil', '900 11 222');
    await isRefused;
    held.resolve();
    await expect
      .poll(async () => (await workspace.client.get(`/companies/${orgnr}`)).body.data)
      .toMatchObject({ phone_number: '22 00 00 00', mobile_number: '900 11 222' });
  });

  test('is shown among the details and companies of a contact', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const { name } = await workspace.company();
    await workspace.client.post(`/contacts/${id}/points`, { type: 'mobile', value: '900 11 222' });
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    const value = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    await page.getByRole('button', { name: 'Rediger 900 11 222' }).click();
    await holdReading(page, `**/app/api/contacts/${id}`);
    await value.fill('900 11 333');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '900 11 333' }).waitFor();
    await page.getByRole('button', { name: 'Legg til e-post' }).click();
    await value.fill('kari@example.no');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'kari@example.no' }).waitFor();

    await page.getByRole('button', { name: 'Knytt til et selskap' }).click();
    await page.getByRole('combobox', { name: 'Selskap' }).fill(name);
    await page.getByRole('option', { name }).click();
    await page.getByLabel('Rolle').fill('Innkjøper');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name, exact: true }).waitFor();
    await page.getByText('Innkjøper').waitFor();
    expect(await page.locator('.contact-form').count()).toBe(0);
  });
});
