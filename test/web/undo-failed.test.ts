import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance, messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('undoing', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('is offered again where undoing has failed: of a company, a note, and an offer on the board and its page', async () => {
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
    await page.getByRole('button', { name: /^Status:/ }).click();
    await page.getByRole('menuitemradio', { name: 'Kunde', exact: true }).click();
    await undoTwice();
    const company = async () => (await workspace.client.get(`/companies/${orgnr}`)).body.data;
    await expect.poll(company).toMatchObject({ status: 'prospect' });
    await expect.poll(() => messages(page)).toBe('Angret');

    await page.getByRole('button', { name: 'Slett notatet «Ringte»' }).click();
    await undoTwice();
    await page.getByText('Ringte').waitFor();
    expect((await workspace.client.get('/notes')).body.data).toHaveLength(1);
    await expect.poll(() => messages(page)).toBe('AngretAngret');

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
});
