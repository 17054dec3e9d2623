import { describe, expect, test } from 'vitest';
import { focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

const CONFLICT = 'Noen andre har endret dette imens';

describe.skipIf(CHROMIUM === undefined)('what somebody else changes during an edit', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test.each([
    ['tasks', 'Hva skal gjøres'],
    ['offers', 'Tittel'],
  ] as const)(
    'of %s is written over by the next Enter, also where the page shows it a moment after it says so',
    async (kind, label) => {
      const workspace = await world.workspace();
      const { id } = await (kind === 'tasks' ? workspace.task({ title: 'Ring' }) : workspace.offer());
      const { page, open, runFirst } = await enter(workspace);
      await runFirst(
        'const wait = setTimeout; setTimeout = (run, ms, ...rest) => wait(run, ms ? ms : 300, ...rest);',
      );
      // The page hears of nothing that others change.
      await page.route('**/app/api/changes?*wait=25*', () => undefined);
      await open(kind === 'tasks' ? '/tasks?who=all' : `/offers/${id}`);
      if (kind === 'tasks') await page.getByRole('row', { name: 'Ring' }).press('Enter');
      await page.getByRole('button', { name: `Rediger ${label}` }).click();
      const field = page.getByRole('textbox', { name: label });
      await field.fill('Min tittel');
      await workspace.client.patch(`/${kind}/${id}`, { description: 'Ny avtale' });
      await field.press('Enter');
      await page.getByText(CONFLICT).waitFor();
      await page.getByText('Ny avtale').waitFor();
      await field.press('Enter');
      await expect
        .poll(async () => (await workspace.client.get(`/${kind}/${id}`)).body.data.title)
        .toBe('Min tittel');
    },
  );

  test.each(['tasks', 'offers'] as const)(
    'of %s is written over by the button of a message that stays, where the page was left before it was known',
    async (kind) => {
      const workspace = await world.workspace();
      const { id } = await (kind === 'tasks' ? workspace.task({ title: 'Ring' }) : workspace.offer());
      const stored = async () => {
        const { title, description } = (await workspace.client.get(`/${kind}/${id}`)).body.data;
        return { title, description };
      };
      const { page, open, runFirst } = await enter(workspace);
      // Messages that would disappear after ten seconds do so at once.
      await runFirst(
        'const wait = setTimeout; setTimeout = (run, ms, ...rest) => wait(run, ms === 10_000 ? 0 : ms, ...rest);',
      );
      await open(kind === 'tasks' ? '/tasks?who=all' : `/offers/${id}`);
      if (kind === 'tasks') await page.getByRole('row', { name: 'Ring' }).press('Enter');
      const held = Promise.withResolvers<void>();
      await page.route(`**/app/api/${kind}/${id}`, async (route) => {
        if (route.request().method() === 'PATCH') await held.promise;
        await route.fallback();
      });
      await page.getByRole('button', { name: 'Rediger Beskrivelse' }).click();
      await page.getByRole('textbox', { name: 'Beskrivelse' }).fill('En lang tekst');
      await page.getByRole('link', { name: 'Kontakter', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Kontakter' }).waitFor();
      await workspace.client.patch(`/${kind}/${id}`, { title: 'Deres tittel' });
      held.resolve();
      const refused = page.locator('.toast', { hasText: `Beskrivelse: ${CONFLICT}` });
      await refused.waitFor();
      // What somebody else writes after that is not written over either.
      await workspace.client.patch(`/${kind}/${id}`, { description: 'Deres tekst' });
      const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await refused.getByRole('button', { name: 'Lagre igjen' }).click();
      expect((await answered).status()).toBe(412);
      expect(await stored()).toEqual({ title: 'Deres tittel', description: 'Deres tekst' });
      await refused.getByRole('button', { name: 'Lagre igjen' }).click();
      await expect.poll(stored).toEqual({ title: 'Deres tittel', description: 'En lang tekst' });
    },
  );

  test('is not written over by a field that is clicked once more while it is saved', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann', notes: 'Gammelt' });
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    const held = Promise.withResolvers<void>();
    await page.route(`**/app/api/contacts/${id}`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise;
      await route.fallback();
    });
    const button = page.getByRole('button', { name: 'Rediger Notater' });
    await button.click();
    const field = page.getByRole('textbox', { name: 'Notater' });
    await field.fill('Mitt');
    await field.press('Control+Enter');
    await workspace.client.patch(`/contacts/${id}`, { notes: 'Deres' });
    await button.getByText('Deres').waitFor();
    await button.click();
    held.resolve();
    await page.getByText('Lagre igjen for å bruke ditt i stedet for: Deres').waitFor();
    expect((await workspace.client.get(`/contacts/${id}`)).body.data.notes).toBe('Deres');
  });

  test.each([
    ['a company', 'Telefon', 'Enter'],
    ['a contact', 'Notater', 'Control+Enter'],
  ] as const)(
    'is not what the same person has just saved in a field of %s that opens once more',
    async (kind, label, key) => {
      const workspace = await world.workspace();
      const path =
        kind === 'a company'
          ? `/companies/${(await workspace.company({ phone_number: '111' })).orgnr}`
          : `/contacts/${(await workspace.contact({ notes: '111' })).id}`;
      const { page, open } = await enter(workspace);
      await open(path);
      const held = Promise.withResolvers<void>();
      await page.route(`**/app/api${path}`, async (route) => {
        if (route.request().method() === 'PATCH') await held.promise;
        await route.fallback();
      });
      const button = page.getByRole('button', { name: `Rediger ${label}` });
      const field = page.getByRole('textbox', { name: label });
      await button.click();
      await field.fill('222');
      await field.press(key);
      await focusIn(page.locator('.edit[data-state="saving"] .edit-button'));
      await page.keyboard.press('Enter');
      held.resolve();
      await focusIn(field);
      await field.fill('333');
      await field.press(key);
      await expect.poll(() => page.locator('.edit-state').allTextContents()).toContain('Lagret');
      await button.getByText('333').waitFor();
    },
  );
});
