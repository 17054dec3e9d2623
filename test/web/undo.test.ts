import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { loseAnswer } from './lose-answer.ts';
import { entrance, messages, titlesIn } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('what a message offers to undo', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('is the last that was done to a record; another record keeps its own', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    await workspace.offer({ title: 'Service' });
    const { page, open } = await enter(workspace);
    const move = async (title: string, to: string) => {
      await page.getByRole('button', { name: `Flytt ${title}` }).click();
      await page.getByRole('menuitem', { name: to }).click();
      await expect.poll(() => titlesIn(page, to)).toEqual([title]);
      await expect.poll(() => messages(page)).toContain(`${title}: flyttet til «${to}»`);
    };
    const undo = page.getByRole('button', { name: 'Angre' });
    await open('/offers');
    await move('Avtale', 'Sendt');
    await move('Service', 'I forhandling');
    expect(await undo.count()).toBe(2);
    await move('Avtale', 'Avslått');
    await expect.poll(() => messages(page)).not.toContain('Avtale: flyttet til «Sendt»');
    expect(await undo.count()).toBe(2);
    await undo.last().click();
    await expect.poll(() => titlesIn(page, 'Sendt')).toEqual(['Avtale']);
    const status = async () => (await workspace.client.get(`/offers/${id}`)).body.data.status;
    await expect.poll(status).toBe('sent');
    await undo.click();
    await expect.poll(() => titlesIn(page, 'Ny')).toEqual(['Service']);
  });

  test('stays for each of many records, the last of them in view', async () => {
    const workspace = await world.workspace();
    const titles = Array.from({ length: 8 }, (_, n) => `Oppgave ${n}.`);
    await Promise.all(titles.map((title) => workspace.task({ title })));
    const { page, open, show } = await enter(workspace);
    await show('phone');
    await open('/tasks');
    for (const title of titles) {
      await page
        .getByRole('row', { name: title })
        .getByRole('checkbox')
        .evaluate((box: { click: () => void }) => box.click());
      await page.getByText(`Fullført: ${title}`).waitFor();
    }
    const undo = page.getByRole('button', { name: 'Angre' });
    expect(await undo.count()).toBe(8);
    const height = "document.querySelector('.toasts').getBoundingClientRect().height / window.innerHeight";
    expect(await page.evaluate(height)).toBeLessThan(0.41);
    const seen = '(box => document.querySelector(".toasts").getBoundingClientRect().bottom - box.bottom)';
    const lastBox = '[...document.querySelectorAll(".toast")].at(-1).getBoundingClientRect()';
    expect(Math.abs(Number(await page.evaluate(`${seen}(${lastBox})`)))).toBeLessThan(32);
    await undo.first().click();
    await page.getByRole('row', { name: titles[0]! }).waitFor();
  });

  test('goes when the record changes otherwise, here or by others, and leaves its message and the focus', async () => {
    const workspace = await world.workspace();
    const task = await workspace.task({ title: 'Ring' });
    await workspace.task({ title: 'Skriv' });
    const { page, open } = await enter(workspace);
    const undo = page.getByRole('button', { name: 'Angre' });
    await open('/tasks?who=all');
    for (const title of ['Ring', 'Skriv']) {
      await page.getByRole('checkbox', { name: `Fullfør ${title}` }).click();
      await page.getByText(`Fullført: ${title}`).waitFor();
    }
    await expect.poll(() => undo.count()).toBe(2);
    await undo.first().focus();
    await workspace.client.patch(`/tasks/${task.id}`, { description: 'Ny avtale' });
    await expect.poll(() => undo.count()).toBe(1);
    expect(await messages(page)).toContain('Fullført: Ring');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await undo.click();
    await page.getByRole('row', { name: 'Skriv' }).waitFor();
  });

  test('is offered again where undoing has failed: of a note, and of an offer on the board and its page', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
    const { id } = await workspace.offer({ weight: 30 });
    const offer = async () => (await workspace.client.get(`/offers/${id}`)).body.data;
    const { page, open, go } = await enter(workspace);
    const undo = page.getByRole('button', { name: 'Angre' });
    /** The first try fails, the second is answered. */
    const undoTwice = async () => {
      await undo.waitFor();
      const busy = { status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } };
      await page.route('**/app/api/**', (route) =>
        route.request().method() === 'GET' ? route.fallback() : route.fulfill(busy),
      );
      await undo.click();
      await expect.poll(() => messages(page)).toContain('Tjenesten er utilgjengelig');
      await page.unroute('**/app/api/**');
      await undo.click();
    };
    await open(`/companies/${orgnr}`);
    await page.getByRole('button', { name: 'Slett notatet «Ringte»' }).click();
    await undoTwice();
    await page.getByText('Ringte').waitFor();
    expect((await workspace.client.get('/notes')).body.data).toHaveLength(1);
    await expect.poll(() => messages(page)).toBe('Angret');

    await go('/offers');
    await page.getByRole('button', { name: 'Flytt Avtale' }).click();
    await page.getByRole('menuitem', { name: 'Akseptert' }).click();
    await undoTwice();
    await expect.poll(offer).toMatchObject({ status: 'new', weight: 30 });

    await go(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Status' }).click();
    await page.getByRole('button', { name: /Status/ }).click();
    await page.getByRole('option', { name: 'Akseptert' }).click();
    await undoTwice();
    await expect.poll(offer).toMatchObject({ status: 'new', weight: 30 });
  });

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
    const undoTwice = async (path: string) => {
      await undo.waitFor();
      await loseAnswer(page, path);
      await undo.click();
      await expect.poll(() => messages(page)).toContain('Får ikke kontakt');
      await undo.click();
      await expect.poll(() => messages(page)).toBe('Angret');
      await page.locator('.toast').getByRole('button', { name: 'Lukk' }).click();
    };
    await open(`/companies/${company.orgnr}`);
    await page.getByRole('button', { name: 'Slett notatet «Ringte»' }).click();
    await undoTwice('**/notes/*/restore');
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
    // What it has to say is said before.
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
