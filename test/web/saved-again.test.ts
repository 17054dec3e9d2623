import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { enter as enterIn } from './enter.ts';
import { messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('a message with what could not be saved', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  /** The title of an offer that was not saved, and whose page was left. */
  async function unsaved() {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ title: 'Driftsavtale' });
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    const held = Promise.withResolvers<void>();
    await page.route(`**/app/api/offers/${id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      await held.promise;
      return route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } });
    });
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Ny avtale');
    await page.getByRole('link', { name: 'Kontakter', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Kontakter' }).waitFor();
    held.resolve();
    const again = page.getByRole('button', { name: 'Lagre igjen' });
    await again.waitFor();
    await page.unroute(`**/app/api/offers/${id}`);
    const title = async () => (await workspace.client.get(`/offers/${id}`)).body.data.title;
    return { workspace, page, again, title };
  }

  test('keeps it while the session is in another workspace', async () => {
    const { workspace, page, again, title } = await unsaved();
    const other = await world.workspace();
    await world.query(
      "insert into memberships (tenant_id, user_id, role, joined_at) values ($1, $2, 'member', now())",
      [other.id, workspace.owner.id],
    );
    // Stay on the page when the browser asks.
    page.on('dialog', (dialog) => void dialog.dismiss());
    const move = (to: string) =>
      page.context().request.post('/app/api/session/workspace', {
        data: { workspace_id: to },
        headers: { origin: world.origin },
      });
    await move(other.id);
    const refused = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await again.click();
    expect((await refused).status()).toBe(409);
    await expect.poll(() => messages(page)).toContain('Du er i et annet arbeidsområde nå');
    await move(workspace.id);
    await again.click();
    await expect.poll(() => messages(page)).toContain('Tittel: Lagret');
    expect(await title()).toBe('Ny avtale');
  });

  /** Types into a field of a record that goes away meanwhile. @param writeText what the browser does to copy */
  async function typeAndLose(path: string, label: string, writeText: string, workspace: Workspace) {
    const { page, open, runFirst } = await enter(workspace);
    await runFirst(`navigator.clipboard.writeText = ${writeText};`);
    await open(path);
    await page.getByRole('button', { name: `Rediger ${label}` }).click();
    await page.getByRole('textbox', { name: label }).fill('Ringte\nVil ha tilbud');
    const browser = await workspace.signIn();
    const copy = async () => {
      await expect.poll(() => messages(page)).toContain(`${label}: Finnes ikke her`);
      await page.getByRole('button', { name: 'Kopier' }).click();
    };
    return { page, browser, copy };
  }

  test('has it copied where the contact was merged while it was typed', async () => {
    const workspace = await world.workspace();
    const [kept, other] = [await workspace.contact(), await workspace.contact()];
    const writeText = 'async (text) => void (window.copied = text)';
    const { page, browser, copy } = await typeAndLose(
      `/contacts/${other.id}`,
      'Notater',
      writeText,
      workspace,
    );
    await browser.post(`/contacts/${kept.id}/merge`, { other_id: other.id });
    await copy();
    await expect.poll(() => messages(page)).toBe('Kopiert');
    expect(await page.evaluate('copied')).toBe('Ringte\nVil ha tilbud');
  });

  test('shows it where the offer was deleted while it was typed, and it cannot be copied', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const { page, browser, copy } = await typeAndLose(
      `/offers/${id}`,
      'Beskrivelse',
      '() => Promise.reject()',
      workspace,
    );
    await browser.delete(`/offers/${id}`);
    await copy();
    await expect.poll(() => messages(page)).toContain('Ringte\nVil ha tilbud');
  });

  test('is covered with the page while nobody is signed in', async () => {
    const { workspace, page, again } = await unsaved();
    const box = (await again.boundingBox())!;
    await world.query('delete from sessions where user_id = $1', [workspace.owner.id]);
    // The page may have heard of it, and is covered then: a pointer finds no link.
    const link = page.getByRole('link', { name: 'Selskaper', exact: true, includeHidden: true }).first();
    await link.evaluate((it) => it.click());
    await page.getByRole('dialog', { name: 'Du er logget ut' }).waitFor();
    expect(await again.evaluate((it) => it.closest('[inert]') !== null)).toBe(true);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    // elementFromPoint leaves out what is inert, although it is seen.
    await page.evaluate("for (const it of document.querySelectorAll('[inert]')) it.inert = false");
    expect(
      await page.evaluate(`document.elementFromPoint(${x}, ${y}).closest('.sign-in-again') !== null`),
    ).toBe(true);
  });
});
