import { describe, expect, test } from 'vitest';
import { focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
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

  test('is undone over the palette and over a menu, which stay and keep the focus', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}`);
    const status = page.getByRole('button', { name: 'Status:' });
    for (const [over, begin] of [
      [page.getByRole('dialog', { name: 'Kommandoer' }), () => page.keyboard.press('Control+k')],
      [page.getByRole('menu'), () => status.click()],
    ] as const) {
      await page.getByRole('button', { name: 'Slett notatet «Ringte»' }).click();
      await page.getByText('Notatet er slettet').waitFor();
      await begin();
      await focusIn(over);
      await page.getByRole('button', { name: 'Angre' }).click();
      await page.locator('.entry', { hasText: 'Ringte' }).waitFor();
      await focusIn(over);
      await page.keyboard.press('Escape');
      await over.waitFor({ state: 'detached' });
      expect((await workspace.client.get('/notes')).body.data).toHaveLength(1);
    }
  });

  test('disappears when the record changes otherwise, here or by others; its message and the focus stay', async () => {
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

  test('of a field stays while something else of the company changes', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    const undo = page.getByRole('button', { name: 'Angre' });
    await open(`/companies/${orgnr}`);
    await page.getByRole('button', { name: 'Status:' }).click();
    await page.getByRole('menuitemradio', { name: 'Kunde', exact: true }).click();
    await undo.waitFor();
    const address = `**/app/api/companies/${orgnr}`;
    const busy = { status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } };
    await page.route(address, (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.fulfill(busy),
    );
    await undo.click();
    await expect.poll(() => messages(page)).toContain('Tjenesten er utilgjengelig');
    await page.unroute(address);
    await workspace.client.patch(`/companies/${orgnr}`, { phone_number: '22 00 00 00' });
    await page.getByText('22 00 00 00').waitFor();
    await undo.click();
    const status = async () => (await workspace.client.get(`/companies/${orgnr}`)).body.data.status;
    await expect.poll(status).toBe('prospect');
  });

  test('does not write over what somebody else has changed before the answer came', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.task({ title: 'Ring Kari', due_date: '2026-01-02T08:00:00Z' });
    const { page, open } = await enter(workspace);
    await open('/tasks?who=all');
    const stored = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route(
      `**/app/api/tasks/${id}`,
      async (route) => {
        const response = await route.fetch();
        stored.resolve();
        await held.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await page.getByRole('row', { name: 'Ring Kari' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.getByRole('menuitem', { name: 'I morgen' }).click();
    await stored.promise;
    const friday = { due_date: '2026-01-09T08:00:00.000Z' };
    await workspace.client.patch(`/tasks/${id}`, { title: 'Ring Ola', ...friday });
    await page.getByText('Ring Ola').waitFor();
    // Once the list shows this task, the page has also handled the change before it, news of which removes an Undo.
    await workspace.task({ title: 'Skriv' });
    await page.getByRole('row', { name: 'Skriv' }).waitFor();
    held.resolve();
    await page.getByRole('button', { name: 'Angre' }).click();
    await expect.poll(() => messages(page)).toMatch(/Angret|Noen andre har endret/);
    expect((await workspace.client.get(`/tasks/${id}`)).body.data).toMatchObject(friday);
  });
});
