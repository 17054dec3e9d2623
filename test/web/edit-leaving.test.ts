import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';
import { focused } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('leaving a field that is edited in place', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test.each([
    ['Tab', 'Beskrivelse', 'Engangs'],
    ['Shift+Tab', 'Beskrivelse', 'Eier'],
    ['Tab', 'Engangs', 'Løpende beløp'],
  ])('by %s goes on from %s to %s, with a change and without one', async (key, from, to) => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    const button = page.getByRole('button', { name: `Rediger ${from}` });
    for (const text of [undefined, '7']) {
      await button.press('Enter');
      const field = page.getByRole('textbox', { name: from });
      await field.waitFor();
      if (text !== undefined) await field.fill(text);
      await page.keyboard.press(key);
      await field.waitFor({ state: 'detached' });
      expect.soft(await focused(page), `${text}`).toContain(`Rediger ${to}`);
    }
    await button.getByText('7', { exact: false }).waitFor();
    expect.soft(await focused(page)).toContain(`Rediger ${to}`);
  });

  test.each(['/tasks?who=all', 'the company'])('by Tab goes on in a task of %s', async (place) => {
    const workspace = await world.workspace();
    const { id, orgnr } = await workspace.company();
    await workspace.task({ title: 'Ring', related_company_id: id });
    const { page, open } = await enter(workspace);
    await open(place.startsWith('/') ? place : `/companies/${orgnr}?tab=tasks`);
    await page.getByRole('row', { name: 'Ring' }).press('Enter');
    const title = page.getByRole('button', { name: 'Rediger Hva skal gjøres' });
    const field = page.getByRole('textbox', { name: 'Hva skal gjøres' });
    for (const text of ['Ring', 'Ring Kari']) {
      await title.press('Enter');
      await field.fill(text);
      await field.press('Tab');
      await field.waitFor({ state: 'detached' });
      expect.soft(await focused(page), text).toContain('Rediger Frist');
    }
    await title.getByText('Ring Kari').waitFor();
    expect(await focused(page)).toContain('Rediger Frist');
  });

  test('by a press in another field puts the focus there', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.task({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    await open('/tasks?who=all');
    await page.getByRole('row', { name: 'Ring' }).press('Enter');
    const other = page.getByLabel('Ny oppgave');
    const title = page.getByRole('button', { name: 'Rediger Hva skal gjøres' });
    const field = page.getByRole('textbox', { name: 'Hva skal gjøres' });
    for (const text of ['Ring', 'Ring Kari']) {
      await title.click();
      await field.fill(text);
      await other.click();
      await field.waitFor({ state: 'detached' });
      expect.soft(await other.evaluate((it) => it === it.ownerDocument.activeElement), text).toBe(true);
    }
    await expect
      .poll(async () => (await workspace.client.get(`/tasks/${id}`)).body.data.title)
      .toBe('Ring Kari');
    await title.getByText('Ring Kari').waitFor();
    expect.soft(await other.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
  });

  test.each(['Escape', 'Enter'])('by %s puts the focus on its button', async (key) => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Tittel' }).press('Enter');
    const field = page.getByRole('textbox', { name: 'Tittel' });
    await field.fill('Ny avtale');
    await field.press(key);
    await field.waitFor({ state: 'detached' });
    expect(await focused(page)).toContain('Rediger Tittel');
  });
});
