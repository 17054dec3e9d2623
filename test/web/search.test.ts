import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';

const world = await createWorld();
const visit = useBrowser();

async function enter(workspace: Workspace) {
  const visited = await visit(world.origin);
  const value = await workspace.sessionOf();
  await visited.page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
  return visited;
}

async function fill(workspace: Workspace) {
  const contact = await workspace.contact({ name: 'Havbris Hansen' });
  const offer = await workspace.offer({ title: 'Havbris serviceavtale' });
  const task = await workspace.task({ title: 'Ring Havbris' });
  return { contact, offer, task };
}

describe.skipIf(CHROMIUM === undefined)('the search', () => {
  test('finds everything from one field, by keys alone, wide and on a phone, and from the palette', async () => {
    const workspace = await world.workspace();
    const { contact, offer } = await fill(workspace);
    const { page, open, go, show } = await enter(workspace);
    await open('/companies');
    for (const screen of ['wide', 'phone'] as const) {
      await show(screen);
      await go('/search');
      await expect.poll(() => page.getByText('Pil ned').isVisible()).toBe(screen === 'wide');
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('havbr');
      const links = page.locator('.results a');
      await expect.poll(() => links.count()).toBe(3);
      await expect
        .poll(() => page.locator('.results h2').allTextContents())
        .toEqual(['Kontakter', 'Tilbud', 'Oppgaver']);
      expect(await axe(page)).toEqual([]);
      await expect.poll(() => page.getByRole('status').allTextContents()).toContain('3 treff');
      const focused = () => page.evaluate('document.activeElement.textContent');
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => focused()).toContain('Havbris Hansen');
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => focused()).toContain('Havbris serviceavtale');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/contacts/${contact.id}`);
      await page.getByRole('heading', { level: 1, name: 'Havbris Hansen' }).waitFor();
    }

    // Enter opens what is found first.
    await show('wide');
    await page.keyboard.press('Control+k');
    await focusIn(page.getByRole('dialog').getByRole('searchbox'));
    await page.keyboard.type('havbris serv');
    await page.getByRole('menuitem', { name: 'Havbris serviceavtale' }).waitFor();
    // What was found for less of the text cannot be opened.
    await expect.poll(() => page.getByRole('menuitem', { name: 'Havbris Hansen' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/offers/${offer.id}`);
  });

  test('opens nothing that was found for less of the text, on its page and in the palette', async () => {
    const workspace = await world.workspace();
    const { offer } = await fill(workspace);
    const { page, open } = await enter(workspace);
    await open('/search');
    await page.getByRole('searchbox').fill('havbris');
    await expect.poll(() => page.locator('.results a').count()).toBe(3);
    let release = await holdSearch(page);
    await page.keyboard.type(' serv');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('havbris serv');
    await page.keyboard.press('Enter');
    release();
    await expect.poll(() => page.locator('.results a').count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe('/search');

    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await palette.getByRole('searchbox').fill('havbris');
    await palette.getByRole('menuitem', { name: 'Havbris Hansen' }).waitFor();
    release = await holdSearch(page);
    await page.keyboard.type(' servi');
    await page.keyboard.press('Enter');
    // The earlier result is still seen, and cannot be chosen.
    await expect.poll(() => palette.getByText('Havbris Hansen').count()).toBe(1);
    await expect.poll(() => palette.getByRole('menuitem', { name: 'Havbris' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
    expect(new URL(page.url()).pathname).toBe('/search');
    release();
    await palette.getByRole('menuitem', { name: 'Havbris serviceavtale' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/offers/${offer.id}`);
  });

  test('leads to a task that is done where such tasks are', async () => {
    const workspace = await world.workspace();
    const { task } = await fill(workspace);
    await workspace.client.patch(`/tasks/${task.id}`, { completed: true });
    const { page, open, go } = await enter(workspace);
    await open('/search?q=ring');
    await page.getByRole('link', { name: 'Ring Havbris' }).click();
    await page.getByRole('checkbox', { name: 'Gjenåpne Ring Havbris' }).waitFor();
    expect(new URL(page.url()).search).toBe('?who=all&tab=done');

    const { id, orgnr } = await workspace.company();
    const { id: called } = await workspace.task({ title: 'Ring Kari', related_company_id: id });
    await workspace.client.patch(`/tasks/${called}`, { completed: true });
    await go('/search?q=ring+kari');
    await page.getByRole('link', { name: 'Ring Kari' }).click();
    await page.getByRole('checkbox', { name: 'Gjenåpne Ring Kari' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/companies/${orgnr}`);
    const tab = page.locator('.tab', { hasText: 'Oppgaver' });
    expect(await tab.getAttribute('aria-current')).toBe('page');
    await page.getByRole('button', { name: 'Skjul fullførte' }).click();
    await page.getByRole('button', { name: 'Vis fullførte' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=tasks');
  });

  test('has its field ready after its key, which leads back to the text from a result', async () => {
    const workspace = await world.workspace();
    await fill(workspace);
    const { page, open } = await enter(workspace);
    await open('/companies');
    await page.keyboard.press('/');
    const field = page.getByRole('searchbox');
    const isFocused = () => field.evaluate((it) => it === it.ownerDocument.activeElement);
    await page.getByRole('heading', { level: 1, name: 'Søk' }).waitFor();
    await expect.poll(isFocused).toBe(true);
    await page.keyboard.type('bygghus');
    await expect.poll(() => new URL(page.url()).search).toBe('?q=bygghus');

    for (const isLoaded of [false, true]) {
      if (isLoaded) await open('/search?q=havbris');
      else await field.fill('havbris');
      await expect.poll(() => page.locator('.results a').count()).toBe(3);
      await field.press('ArrowDown');
      await expect.poll(isFocused).toBe(false);
      await page.keyboard.press('/');
      await expect.poll(isFocused).toBe(true);
      expect(await page.evaluate('getSelection().toString()')).toBe('havbris');
      expect(new URL(page.url()).search).toBe('?q=havbris');
    }
    // A slash that is typed into the field is text, not the shortcut.
    await page.keyboard.type('/');
    await expect.poll(() => field.inputValue()).toBe('/');
  });

  test('keeps what it found, and the focus on it, when that cannot be read again', async () => {
    const workspace = await world.workspace();
    const { task } = await fill(workspace);
    const { page, open } = await enter(workspace);
    await open('/search?q=havbris');
    await expect.poll(() => page.locator('.results a').count()).toBe(3);
    await page.getByRole('searchbox').press('ArrowDown');
    let refused = 0;
    await page.route('**/app/api/search?**', async (route) => {
      await route.fulfill({ status: 429, json: { error: 'x', code: 'rate_limited' } });
      refused += 1;
    });
    await workspace.client.patch(`/tasks/${task.id}`, { description: 'Hørt' });
    await expect.poll(() => refused).toBeGreaterThan(0);
    const frame = 'new Promise((done) => requestAnimationFrame(done))';
    for (let frames = 0; frames < 4; frames++) await page.evaluate(frame);
    expect(await page.locator('.results a').count()).toBe(3);
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Havbris Hansen');
  });

  test('says that there are more offers than it shows, when there are', async () => {
    const workspace = await world.workspace();
    for (let at = 1; at <= 20; at++) await workspace.offer({ title: `Serviceavtale ${at}` });
    const { page, open } = await enter(workspace);
    await open('/search?q=service');
    await expect.poll(() => page.getByRole('status').allTextContents()).toContain('20 treff');
    expect(await page.getByText('Skriv mer for å finne andre').count()).toBe(0);
    await workspace.offer({ title: 'Serviceavtale 21' });
    await page.getByText('Viser de 20 som sist ble endret. Skriv mer for å finne andre.').waitFor();
    await expect.poll(() => page.getByRole('status').allTextContents()).toContain('20+ treff');
    expect(await page.locator('.results a').count()).toBe(20);
  });

  test('finds pages by name, and says so when there is nothing', async () => {
    const { page, open } = await enter(await world.workspace());
    await open('/search?q=medlem');
    await page.getByRole('link', { name: 'Medlemmer' }).last().waitFor();
    await page.getByRole('searchbox').fill('xyzzy');
    await page.getByText('Ingenting passer til «xyzzy».').waitFor();
    expect(await axe(page)).toEqual([]);
  });
});

/** Keeps the next answers back until the function is called. */
async function holdSearch(page: Page): Promise<() => void> {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/app/api/search?**', async (route) => {
    await held;
    await route.continue();
  });
  return release;
}
