import { describe, expect, test } from 'vitest';
import { axe, focusIn, type Screen, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';

const world = await createWorld();
const visit = useBrowser();

async function enter(workspace: Workspace, options: { screen?: Screen } = {}) {
  const visited = await visit(world.origin, options);
  const value = await workspace.sessionOf();
  await visited.page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
  return visited;
}

/** Gives the owner the language, whatever that of the workspace is. */
async function speak(workspace: Workspace, language: 'nb' | 'en') {
  await world.query('update users set language = $1 where id = $2', [language, workspace.owner.id]);
}

describe.skipIf(CHROMIUM === undefined)('contacts', () => {
  test.each([
    ['wide', 'nb', 'Ny kontakt', 'E-post', 'Telefon', 'Selskap', 'Rolle', 'Opprett'],
    ['phone', 'en', 'New contact', 'Email', 'Telephone', 'Company', 'Role', 'Create'],
  ] as const)(
    'are added with what is known at once: %s, %s',
    async (screen, language, add, email, telephone, company, role, create) => {
      const workspace = await world.workspace();
      await speak(workspace, language);
      const employer = await workspace.company();
      const { page, open, go } = await enter(workspace, { screen });
      await open('/contacts');
      await page.getByRole('button', { name: add }).first().click();
      const dialog = page.getByRole('dialog');
      await focusIn(dialog.getByRole('textbox').first());
      await page.keyboard.type('Åse Ødegård');
      await dialog.getByLabel(email).fill('aase@');
      await dialog.getByLabel(telephone).fill('900 11 222');
      // A press beside the dialog keeps what was typed.
      await page.mouse.click(5, 5);
      await dialog.getByRole('combobox', { name: company }).fill(employer.orgnr);
      await page.getByRole('option', { name: employer.name }).waitFor();
      // The list from before the text was typed may still be there; its options can no longer be chosen.
      const offered = async () => {
        await page.keyboard.press('ArrowDown');
        return dialog.getByRole('combobox', { name: company }).getAttribute('aria-activedescendant');
      };
      await expect.poll(offered, { interval: 200 }).not.toBeNull();
      await page.keyboard.press('Enter');
      await dialog.getByLabel(role).fill('Daglig leder');
      await dialog.getByRole('button', { name: create }).click();
      await dialog.getByText('.no.').waitFor();
      expect(await axe(page)).toEqual([]);
      await expect.poll(async () => (await workspace.client.get('/contacts')).body.data).toEqual([]);
      await dialog.getByLabel(email).fill('aase@example.no');
      // The message must be gone before the field is left: else the button would move away from under the pointer.
      await dialog.getByText('.no.').waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: create }).click();
      await page.getByRole('heading', { name: 'Åse Ødegård' }).waitFor();
      expect(await axe(page)).toEqual([]);

      const [contact] = (await workspace.client.get('/contacts?include=points,links')).body.data;
      expect(contact.points.map(({ value }: { value: string }) => value)).toEqual([
        'aase@example.no',
        '900 11 222',
      ]);
      expect(contact.links).toEqual([
        { id: expect.any(Number), company_id: employer.id, role: 'Daglig leder' },
      ]);
      await go('/contacts');
      const row = page.getByRole('row').filter({ hasText: 'Åse Ødegård' });
      await row.getByText(employer.name).waitFor();
      expect(await axe(page)).toEqual([]);
    },
  );

  test('are corrected, not doubled, when only a part of them could be stored', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    await open('/contacts');
    await page.getByRole('button', { name: 'Ny kontakt' }).first().click();
    const dialog = page.getByRole('dialog');
    const fill = (label: string, text: string) => dialog.getByLabel(label).fill(text);
    await fill('Navn', ' Kari Nordman ');
    await fill('E-post', 'kari@nordlys.n');
    await fill('Telefon', '900 11 222');
    await page.route('**/points', (route) =>
      route.request().postData()?.includes('telephone') ? route.abort() : route.fallback(),
    );
    const create = dialog.getByRole('button', { name: 'Opprett' });
    await create.click();
    await dialog.getByText('Kontakten er lagret, men ikke alt annet').waitFor();
    const [{ id, name }] = (await workspace.client.get('/contacts')).body.data;
    expect(name).toBe('Kari Nordman');
    const emails = async () =>
      (await workspace.client.get(`/contacts/${id}/points`)).body.data.map(
        ({ value }: { value: string }) => value,
      );
    await expect.poll(emails).toEqual(['kari@nordlys.n']);
    for (const email of ['', 'kari@nordlys.n', 'kari@nordlys.no']) {
      await fill('E-post', email);
      await create.click();
      await expect.poll(emails).toEqual(email === '' ? [] : [email]);
      await dialog.getByText('Får ikke kontakt').waitFor();
    }
    await page.unroute('**/points');
    await fill('Navn', 'Kari Nordmann ');
    await create.click();
    await page.getByRole('heading', { name: 'Kari Nordmann' }).waitFor();
    expect(await emails()).toEqual(['kari@nordlys.no', '900 11 222']);
    expect((await workspace.client.get('/contacts')).body.data).toMatchObject([{ name: 'Kari Nordmann' }]);
  });

  test('are added again where they were erased after only a part of them could be stored', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    await open('/contacts');
    await page.getByRole('button', { name: 'Ny kontakt' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Navn').fill('Kari');
    await dialog.getByLabel('E-post').fill('kari@example.no');
    await page.route('**/points', (route) => route.abort(), { times: 1 });
    const create = dialog.getByRole('button', { name: 'Opprett' });
    await create.click();
    await dialog.getByText('Kontakten er lagret, men ikke alt annet').waitFor();
    const [{ id }] = (await workspace.client.get('/contacts')).body.data;
    await workspace.client.delete(`/contacts/${id}`);
    await create.click();
    await page.getByRole('heading', { name: 'Kari' }).waitFor();
    const [contact] = (await workspace.client.get('/contacts?include=points')).body.data;
    expect(contact).toMatchObject({ name: 'Kari', points: [{ value: 'kari@example.no' }] });
  });
});
