import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
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
    'of %s is seen before it is written over, also after saving has failed',
    async (kind, label) => {
      const workspace = await world.workspace();
      const { id } = await (kind === 'tasks' ? workspace.task({ title: 'Ring' }) : workspace.offer());
      const title = async () => (await workspace.client.get(`/${kind}/${id}`)).body.data.title;
      const { page, open } = await enter(workspace);
      await open(kind === 'tasks' ? '/tasks?who=all' : `/offers/${id}`);
      if (kind === 'tasks') await page.getByRole('row', { name: 'Ring' }).press('Enter');
      await page.getByRole('button', { name: `Rediger ${label}` }).click();
      const field = page.getByRole('textbox', { name: label });
      await field.fill('Min tittel');
      const path = `**/app/api/${kind}/${id}`;
      await page.route(path, (route) =>
        route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
      );
      await field.press('Enter');
      await page.getByText('Får ikke kontakt').waitFor();
      // Leaving the field tries again.
      const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'PATCH');
      await page.locator('h1').click();
      await failed;
      await page.getByText('Får ikke kontakt').waitFor();
      await page.unroute(path);
      await workspace.client.patch(`/${kind}/${id}`, { title: 'Deres tittel', description: 'Ny avtale' });
      await page.getByText('Ny avtale').waitFor();
      await field.press('Enter');
      await page.getByText(CONFLICT).waitFor();
      expect(await title()).toBe('Deres tittel');
      await field.press('Enter');
      await expect.poll(title).toBe('Min tittel');
    },
  );

  test.each([
    ['tasks', 'Hva skal gjøres'],
    ['offers', 'Tittel'],
  ] as const)(
    'of %s is seen before it is written over by a field that was opened while another was saved',
    async (kind, label) => {
      const workspace = await world.workspace();
      const { id } = await (kind === 'tasks' ? workspace.task({ title: 'Ring' }) : workspace.offer());
      const { page, open } = await enter(workspace);
      await open(kind === 'tasks' ? '/tasks?who=all' : `/offers/${id}`);
      if (kind === 'tasks') await page.getByRole('row', { name: 'Ring' }).press('Enter');
      const held = Promise.withResolvers<void>();
      await page.route(`**/app/api/${kind}/${id}`, async (route) => {
        if (route.request().method() === 'PATCH') await held.promise;
        await route.fallback();
      });
      await page.getByRole('button', { name: `Rediger ${label}` }).click();
      const title = page.getByRole('textbox', { name: label });
      await title.fill('Min tittel');
      await title.press('Enter');
      await page.getByRole('button', { name: 'Rediger Beskrivelse' }).click();
      const description = page.getByRole('textbox', { name: 'Beskrivelse' });
      await description.fill('Min tekst');
      held.resolve();
      const titleButton = page.getByRole('button', { name: `Rediger ${label}` });
      await titleButton.getByText('Min tittel').waitFor();
      await workspace.client.patch(`/${kind}/${id}`, { title: 'Deres tittel', description: 'Deres tekst' });
      await titleButton.getByText('Deres tittel').waitFor();
      const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await description.press('Control+Enter');
      expect((await answered).status()).toBe(412);
      await page.getByText(CONFLICT).waitFor();
      const stored = async () => (await workspace.client.get(`/${kind}/${id}`)).body.data.description;
      expect(await stored()).toBe('Deres tekst');
      await description.press('Control+Enter');
      await expect.poll(stored).toBe('Min tekst');
    },
  );

  test.each([
    ['tasks', 'Hva skal gjøres', '**/app/api/tasks/rows?*'],
    ['offers', 'Tittel', '**/app/api/offers/*/card'],
  ] as const)('of %s is not written over until the page shows it', async (kind, label, shown) => {
    const workspace = await world.workspace();
    const { id } = await (kind === 'tasks' ? workspace.task({ title: 'Ring' }) : workspace.offer());
    const title = async () => (await workspace.client.get(`/${kind}/${id}`)).body.data.title;
    const { page, open } = await enter(workspace);
    // The page hears of nothing that others change.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    await open(kind === 'tasks' ? '/tasks?who=all' : `/offers/${id}`);
    if (kind === 'tasks') await page.getByRole('row', { name: 'Ring' }).press('Enter');
    await page.getByRole('button', { name: `Rediger ${label}` }).click();
    const field = page.getByRole('textbox', { name: label });
    await field.fill('Min tittel');
    await workspace.client.patch(`/${kind}/${id}`, { title: 'Deres tittel', description: 'Ny avtale' });
    await page.route(shown, (route) =>
      route.fulfill({ status: 429, json: { error: 'Slow down', code: 'rate_limited' } }),
    );
    const refuse = async () => {
      const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await field.press('Enter');
      expect((await answered).status()).toBe(412);
      await page.getByText(CONFLICT).waitFor();
    };
    await refuse();
    await refuse();
    await page.unroute(shown);
    await refuse();
    await page.getByText('Ny avtale').waitFor();
    expect(await title()).toBe('Deres tittel');
    await field.press('Enter');
    await expect.poll(title).toBe('Min tittel');
  });

  test('is seen also where a key has moved the task meanwhile', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.task({ title: 'Ring' });
    const title = async () => (await workspace.client.get(`/tasks/${id}`)).body.data.title;
    const { page, open } = await enter(workspace);
    // The page hears of nothing that others change.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    await open('/tasks?who=all');
    const row = page.getByRole('row', { name: 'Ring' });
    await row.waitFor();
    await workspace.client.patch(`/tasks/${id}`, { title: 'Ring Kari' });
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/tasks/rows*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await row.press('d');
    await page.getByRole('menuitem', { name: 'I morgen' }).press('Enter');
    await page.getByText('Fristen er i morgen').waitFor();
    await row.press('Enter');
    await page.getByRole('button', { name: 'Rediger Hva skal gjøres' }).click();
    const field = page.getByRole('textbox', { name: 'Hva skal gjøres' });
    await field.fill('Ring Per');
    await field.press('Enter');
    held.resolve();
    await page.getByText(CONFLICT).waitFor();
    expect(await title()).toBe('Ring Kari');
  });
});
