import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe, useBrowser, type Screen } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';

const world = await createWorld();
const visit = useBrowser();

async function enter(
  workspace: Workspace,
  { screen = 'wide', person = workspace.owner }: { screen?: Screen; person?: Workspace['owner'] } = {},
) {
  const visited = await visit(world.origin, { screen });
  const value = await workspace.sessionOf(person);
  await visited.page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
  return visited;
}

async function hearNothing(page: Page): Promise<void> {
  await page.route(/\/changes\?.*wait=[1-9]/, () => undefined);
}

/** Opens the dialog that makes the contact of the page part of another. */
async function openSwapped(page: Page, other: string) {
  await page.getByRole('button', { name: 'Flere valg' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Slå sammen med' }).press('Enter');
  await page.getByRole('combobox').fill(other);
  await page.getByRole('option', { name: other }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Bytt om' }).click();
  return dialog;
}

describe.skipIf(CHROMIUM === undefined)('a contact', () => {
  test('that has the address of another is compared with it, and merged', async () => {
    const workspace = await world.workspace();
    const { client } = workspace;
    const [kept, gone] = [
      await workspace.contact({ name: 'Kari Nordmann' }),
      await workspace.contact({ name: 'Kari Nordmann-Kristoffersen', notes: 'Ring før ti' }),
    ];
    const address = { type: 'email', value: 'kari@example.no' };
    await client.post(`/contacts/${kept.id}/points`, address);
    await client.post(`/contacts/${gone.id}/points`, { ...address, label: 'Jobb' });
    await client.post(`/contacts/${gone.id}/points`, { type: 'mobile', value: '900 11 222' });
    const { page, open, go } = await enter(workspace, { screen: 'phone' });
    // Told of the change by the change log, the dialog would show it before its button is pressed.
    await hearNothing(page);
    await open(`/contacts/${kept.id}`);
    await page.getByText('Kan være samme person: Kari Nordmann-Kristoffersen').waitFor();
    await page.getByRole('button', { name: 'Sammenlign' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('kari@example.no · Jobb', { exact: true }).waitFor();
    await dialog.getByText('kari@example.no · Jobb – finnes fra før').waitFor();
    await dialog.getByText('900 11 222 – flyttes').waitFor();
    await dialog.getByText('Dette kan ikke angres.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Avbryt');
    expect(await axe(page)).toEqual([]);
    const cancel = (await dialog.getByRole('button', { name: 'Avbryt' }).boundingBox())!;
    expect(cancel.x).toBeGreaterThan((await dialog.boundingBox())!.x);

    // What was seen is no longer so: nothing is merged before it was looked at again.
    await client.patch(`/contacts/${gone.id}`, { notes: 'Ring etter ti' });
    await dialog.getByRole('button', { name: 'Slå sammen med Kari Nordmann-Kristoffersen' }).press('Enter');
    await dialog.getByText('En av dem ble endret imens.').waitFor();
    await dialog.getByText('Ring etter ti').waitFor();
    await dialog.getByRole('button', { name: 'Slå sammen med Kari Nordmann-Kristoffersen' }).press('Enter');
    await page.getByText('Kari Nordmann-Kristoffersen er nå en del av Kari Nordmann').waitFor();
    await page.getByRole('link', { name: '900 11 222' }).waitFor();
    await expect.poll(async () => (await client.get(`/contacts/${gone.id}`)).status).toBe(404);
    await go('/contacts');
    await go(`/contacts/${gone.id}`);
    await page.getByRole('link', { name: 'Åpne kontakten den ble en del av' }).click();
    await page.getByRole('heading', { name: 'Kari Nordmann' }).waitFor();
  });

  test('is not requested once it is part of another', async () => {
    const workspace = await world.workspace();
    const gone = await workspace.contact({ name: 'Kari' });
    const kept = await workspace.contact({ name: 'Kari Nordmann' });
    const { page, open } = await enter(workspace);
    // Told of the merge by the change log, the page would ask, too.
    await hearNothing(page);
    await open(`/contacts/${gone.id}`);
    const dialog = await openSwapped(page, kept.name);
    const merge = dialog.getByRole('button', { name: 'Slå sammen med Kari', exact: true });
    await merge.waitFor();
    // Chosen again, the two stay swapped.
    await dialog.getByRole('combobox').press('Enter');
    // The comparison, which asks for both, has been answered once this button is there.
    await merge.waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void (request.method() === 'GET' && asked.push(request.url())));
    await merge.click();
    await page.getByRole('heading', { name: 'Kari Nordmann', level: 1 }).waitFor();
    expect(asked.filter((url) => url.includes(gone.id))).toEqual([]);
  });

  test('that is merged away leads to the other when the dialog was closed before the answer', async () => {
    const workspace = await world.workspace();
    const gone = await workspace.contact({ name: 'Kari' });
    const kept = await workspace.contact({ name: 'Kari Nordmann' });
    const { page, open } = await enter(workspace);
    await hearNothing(page);
    await open(`/contacts/${gone.id}`);
    const dialog = await openSwapped(page, kept.name);
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route('**/merge', async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Slå sammen med Kari', exact: true }).click();
    await asked.promise;
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    held.resolve();
    await page.getByText('Kari er nå en del av Kari Nordmann').waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: 'Åpne kontakten den ble en del av' }).count())
      .toBe(1);
  });

  test('is compared with each that has its address; what failed for one is not said of the next', async () => {
    const workspace = await world.workspace();
    const names = ['Kari Nordmann', 'Kari Berg', 'Kari Dahl'];
    const all: { id: string }[] = [];
    for (const name of names) all.push(await workspace.contact({ name }));
    for (const { id } of all)
      await workspace.client.post(`/contacts/${id}/points`, { type: 'email', value: 'kari@example.no' });
    const { page, open } = await enter(workspace);
    await hearNothing(page);
    await open(`/contacts/${all[0]!.id}`);
    await page.getByRole('link', { name: 'Kari Dahl' }).waitFor();
    await page.getByRole('button', { name: 'Sammenlign' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Kari Dahl' }).press('Enter');
    const dialog = page.getByRole('dialog');
    const merge = (name: string) => dialog.getByRole('button', { name: `Slå sammen med ${name}` });
    await merge('Kari Dahl').waitFor();
    await workspace.client.patch(`/contacts/${all[2]!.id}`, { notes: 'Ring' });
    await merge('Kari Dahl').press('Enter');
    await dialog.getByText('En av dem ble endret imens').waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Bytt om' }).click();
    await merge('Kari Nordmann').waitFor();
    expect(await dialog.getByText('En av dem ble endret imens').count()).toBe(0);
    await merge('Kari Nordmann').press('Enter');
    await page.getByRole('heading', { name: 'Kari Dahl', level: 1 }).waitFor();
  });

  test('that was changed is looked at again before it is erased', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const { page, open } = await enter(workspace);
    await hearNothing(page);
    await open(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Flere valg' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Slett for godt' }).press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    await workspace.client.post(`/contacts/${id}/points`, { type: 'mobile', value: '900 11 222' });
    const erase = dialog.getByRole('button', { name: 'Slett Kari Nordmann for godt' });
    await erase.press('Enter');
    await dialog.getByText('slett hvis du fortsatt vil').waitFor();
    await dialog.getByText('kontaktopplysningene (1)').waitFor();
    await erase.press('Enter');
    await page.getByRole('heading', { name: 'Personen er slettet for godt' }).waitFor();
    expect((await workspace.client.get(`/contacts/${id}`)).status).toBe(404);
  });

  test('is erased after a dialog that names the person and starts on Cancel; the page says so', async () => {
    const workspace = await world.workspace();
    await world.query("update users set language = 'en' where id = $1", [workspace.owner.id]);
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    await page.getByRole('button', { name: 'More actions' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Erase…' }).press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'Erase Kari Nordmann?' });
    await dialog.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { name: 'The person is erased' });
    await heading.waitFor();
    await expect.poll(async () => (await workspace.client.get(`/contacts/${id}`)).status).toBe(404);
    await expect.poll(() => page.locator('body').textContent()).not.toContain('Kari Nordmann is');
    await open(`/contacts/${id}`);
    await page.getByRole('heading', { name: 'The contact is no longer here' }).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('offers neither merging nor erasing to members', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const { page, open } = await enter(workspace, { person: workspace.member });
    await open(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Rediger Navn' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Flere valg' }).count()).toBe(0);
  });
});
