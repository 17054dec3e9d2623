import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter as enterIn } from './enter.ts';
import { messages } from './offer-board.ts';

const FAULT = { nb: 'Skriv et helt tall innenfor grensene.', en: 'Write a whole number within the limits.' };

/** Types over what the field has, key by key. */
async function type(field: Locator, text: string): Promise<void> {
  await field.press('Control+a');
  await field.pressSequentially(text);
}

describe.skipIf(CHROMIUM === undefined)('an amount', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (...[workspace, options]: [Parameters<typeof enterIn>[1], Parameters<typeof enterIn>[2]?]) =>
    enterIn({ world, visit }, workspace, options);

  test.each([
    ['nb', 'Rediger Engangs', 'Engangs', ['1250,50', '33,5', '12.50', '-5'], '12.500,00'],
    ['en', 'Edit One-time', 'One-time', ['1250.50', '1,25', '125,00', '1250 or so'], 'NOK 12,500.00'],
  ] as const)(
    'that is edited is stored as it is written, or not at all, which the field says: %s',
    async (language, edit, name, unreadable, whole) => {
      const workspace = await world.workspace();
      const { id } = await workspace.offer({ one_time_revenue: 100 });
      const amount = async () => (await workspace.client.get(`/offers/${id}`)).body.data.one_time_revenue;
      const { page, open } = await enter(workspace, { language });
      await open(`/offers/${id}`);
      await page.getByRole('button', { name: edit }).click();
      const field = page.getByRole('textbox', { name });
      for (const [at, text] of unreadable.entries()) {
        await type(field, text);
        expect(await page.getByText(FAULT[language]).count()).toBe(0);
        await field.press(at === 0 ? 'Enter' : 'Tab');
        await page.getByRole('alert').getByText(FAULT[language]).waitFor();
        expect(await page.evaluate('document.activeElement.localName')).toBe(at === 0 ? 'input' : 'button');
        expect(await field.inputValue()).toBe(text);
        expect(await field.getAttribute('aria-invalid')).toBe('true');
      }
      expect(await axe(page)).toEqual([]);
      expect(await amount()).toBe(100);
      await type(field, whole);
      await field.press('Enter');
      await expect.poll(amount).toBe(12_500);
    },
  );

  test('that cannot be read is reported when its page is left, and stays as it was', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ one_time_revenue: 100 });
    const { page, open, go } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Engangs' }).click();
    await type(page.getByRole('textbox', { name: 'Engangs' }), '1250,50');
    await go('/tasks');
    await expect.poll(() => messages(page)).toContain(`Engangs: ${FAULT.nb}`);
    expect((await workspace.client.get(`/offers/${id}`)).body.data.one_time_revenue).toBe(100);
  });

  test('keeps its digits when the keys of the caret are pressed and the wheel is turned', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ one_time_revenue: 125_000 });
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Engangs' }).click();
    const field = page.getByRole('textbox', { name: 'Engangs' });
    await focusIn(field);
    await field.hover();
    await page.mouse.wheel(0, 100);
    for (const key of ['End', 'PageUp', 'ArrowUp', 'Home', 'PageDown', 'ArrowDown']) await field.press(key);
    expect((await field.inputValue()).replaceAll(/\s/g, '')).toBe('125000');
    await field.press('Home');
    await page.keyboard.type('1');
    await field.press('End');
    await page.keyboard.type('0');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await workspace.client.get(`/offers/${id}`)).body.data.one_time_revenue)
      .toBe(11_250_000);
  });

  test('of a new offer is sent as it is written, or not at all, which the field says', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    const { page, open, go, reload } = await enter(workspace);
    const offers = async () => (await workspace.client.get('/offers')).body.data;
    await open(`/companies/${orgnr}?tab=offers`);
    // The key would do nothing before the tab is there.
    await page.getByRole('button', { name: 'Nytt tilbud' }).first().waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Hva tilbudet gjelder' }).fill('Serviceavtale');
    const once = page.getByRole('textbox', { name: 'Engangsbeløp' });
    await type(once, '1250,50');
    await once.press('Enter');
    await page.getByText(FAULT.nb).waitFor();
    await focusIn(once);
    expect(await once.getAttribute('aria-invalid')).toBe('true');
    expect(await axe(page)).toEqual([]);
    await reload();
    // The key would do nothing before the page listens to it.
    await page.getByRole('button', { name: 'Nytt tilbud' }).first().click();
    expect(await once.inputValue()).toBe('1250,50');
    expect(await offers()).toEqual([]);
    await type(once, 'kr 1 250,-');
    await once.press('Enter');
    await expect.poll(offers).toMatchObject([{ title: 'Serviceavtale', one_time_revenue: 1250 }]);

    await go('/offers');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Tittel' }).fill('Driftsavtale');
    await dialog.getByRole('combobox', { name: 'Selskap' }).fill(name);
    await page.getByRole('option', { name }).click();
    const weight = dialog.getByRole('textbox', { name: 'Vekt' });
    for (const text of ['33,5', '101']) {
      await type(weight, text);
      await weight.press('Tab');
      await dialog.getByText(FAULT.nb).waitFor();
      // The error disappears as soon as the weight is valid.
      await type(weight, '33');
      await dialog.getByText(FAULT.nb).waitFor({ state: 'detached' });
    }
    await type(dialog.getByRole('textbox', { name: 'Løpende' }), '12.500,00');
    await page.keyboard.press('Tab');
    await expect
      .poll(() => dialog.getByRole('textbox', { name: 'Løpende' }).inputValue())
      .toMatch(/^12\s500$/);
    await type(dialog.getByRole('textbox', { name: 'Engangs' }), '');
    await page.keyboard.press('Backspace');
    await dialog.getByRole('button', { name: 'Opprett' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await offers()).find(({ title }: { title: string }) => title === 'Driftsavtale')).toMatchObject({
      one_time_revenue: 0,
      recurring_revenue: 12_500,
      weight: 33,
    });
  });
});
