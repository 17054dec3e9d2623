import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { BAD_GATEWAY, loseAnswer } from './lose-answer.ts';
import { entrance, messages, titlesIn } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('undoing', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('is done once where the answer to undoing it was lost', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    await workspace.client.post(`/companies/${company.orgnr}/notes`, { text: 'Ringte' });
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    await workspace.client.post(`/contacts/${id}/points`, { type: 'mobile', value: '900 11 222' });
    await workspace.client.post(`/contacts/${id}/companies`, { company_id: company.id });
    const { page, open, go } = await enter(workspace);
    // The page hears of nothing that was done without an answer.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    const undo = page.getByRole('button', { name: 'Angre' });
    const undoTwice = async (path: string, instead?: typeof BAD_GATEWAY) => {
      await undo.waitFor();
      await loseAnswer(page, path, instead);
      await undo.click();
      await expect.poll(() => messages(page)).toContain(instead ? 'Noe gikk galt' : 'Får ikke kontakt');
      await undo.click();
      await expect.poll(() => messages(page)).toBe('Angret');
      await page.locator('.toast').getByRole('button', { name: 'Lukk' }).click();
    };
    await open(`/companies/${company.orgnr}`);
    await page.getByRole('button', { name: 'Slett notatet «Ringte»' }).click();
    await undoTwice('**/notes/*/restore', BAD_GATEWAY);
    await page.getByText('Ringte').waitFor();

    await go(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Fjern 900 11 222' }).click();
    await undoTwice('**/points');
    await page.getByRole('button', { name: `Fjern ${company.name}` }).click();
    await undoTwice(`**/contacts/${id}/companies`);
    const stored = async (path: string) => (await workspace.client.get(path)).body.data.length;
    const paths = ['/notes', `/contacts/${id}/points`, `/contacts/${id}/companies`];
    expect(await Promise.all(paths.map(stored))).toEqual([1, 1, 1]);
  });

  test('of a task is done once, too, where the answer to undoing it was lost', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.task({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    // The page hears of nothing that was done without an answer.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    const undo = page.getByRole('button', { name: 'Angre' });
    await open('/tasks?who=all');
    await page.getByRole('checkbox', { name: 'Fullfør Ring' }).click();
    await undo.waitFor();
    await loseAnswer(page, '**/app/api/tasks/*', BAD_GATEWAY);
    await undo.click();
    await expect.poll(() => messages(page)).toContain('Noe gikk galt');
    await undo.click();
    await expect.poll(() => messages(page)).toBe('Angret');
    expect((await workspace.client.get(`/tasks/${id}`)).body.data.completed).toBe(false);
  });

  test('of an offer is done once, too, where the answer to undoing it was lost', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ weight: 30 });
    const offer = async () => (await workspace.client.get(`/offers/${id}`)).body.data;
    const { page, open, go } = await enter(workspace);
    // The page hears of nothing that was done without an answer.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    const undo = page.getByRole('button', { name: 'Angre' });
    const undoTwice = async () => {
      await undo.waitFor();
      await loseAnswer(page, '**/app/api/offers/*');
      await undo.click();
      await expect.poll(() => messages(page)).toContain('Får ikke kontakt');
      const isRefused = page.waitForResponse((response) => response.status() === 412);
      await undo.click();
      await isRefused;
    };
    await open('/offers');
    await page.getByRole('button', { name: 'Flytt Avtale' }).click();
    await page.getByRole('menuitem', { name: 'Akseptert' }).click();
    await undoTwice();
    // A message would appear before the board is read again.
    await page.waitForResponse('**/app/api/offers/board?*');
    expect(await messages(page)).toBe('');
    await expect.poll(() => titlesIn(page, 'Ny')).toEqual(['Avtale']);

    await go(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Status' }).click();
    await page.getByRole('button', { name: /Status/ }).click();
    await page.getByRole('option', { name: 'Akseptert' }).click();
    await undoTwice();
    await expect.poll(() => messages(page)).toBe('Angret');
    expect(await offer()).toMatchObject({ status: 'new', weight: 30 });
  });
});
