import { describe, expect, test } from 'vitest';
import { axe, CHROMIUM, useBrowser, type Screen } from '../browser.ts';
import { createWorld, type Workspace } from '../world.ts';

const world = await createWorld();
const visit = useBrowser();

async function enter(workspace: Workspace, options: { screen?: Screen; locale?: string } = {}) {
  const visited = await visit(world.origin, options);
  const value = await workspace.sessionOf();
  await visited.page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
  return visited;
}

/** Speaks the language, whatever the workspace's own is. */
async function speak(workspace: Workspace, language: 'nb' | 'en') {
  await world.sql('update users set language = $1 where id = $2', [language, workspace.owner.id]);
}

describe.skipIf(CHROMIUM === undefined)('contacts', () => {
  test.each([
    ['wide', 'nb', 'Ny kontakt', 'E-post', 'Telefon', 'Selskap', 'Rolle', 'Opprett'],
    ['phone', 'en', 'New contact', 'E-mail', 'Telephone', 'Company', 'Role', 'Create'],
  ] as const)(
    'are added with what is known at once: %s, %s',
    async (screen, language, add, email, telephone, company, role, create) => {
      const workspace = await world.workspace();
      await speak(workspace, language);
      const employer = await workspace.company();
      const { page, open } = await enter(workspace, { screen });
      await open('/contacts');
      await page.getByRole('button', { name: add }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await page.keyboard.type('Åse Ødegård');
      await dialog.getByLabel(email).fill('aase@');
      await dialog.getByLabel(telephone).fill('900 11 222');
      await dialog.getByRole('combobox', { name: company }).fill(employer.orgnr);
      await page.getByRole('option', { name: employer.name }).click();
      await dialog.getByLabel(role).fill('Daglig leder');
      await dialog.getByRole('button', { name: create }).click();
      await dialog.getByText('.no.').waitFor();
      expect(await axe(page)).toEqual([]);
      expect((await workspace.client.get('/contacts')).body.data).toEqual([]);
      await dialog.getByLabel(email).fill('aase@example.no');
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
      await open('/contacts');
      const row = page.getByRole('row').filter({ hasText: 'Åse Ødegård' });
      await row.getByText(employer.name).waitFor();
      expect(await axe(page)).toEqual([]);
    },
  );

  test('are found by name, address and number, and opened by keys alone', async () => {
    const workspace = await world.workspace();
    const kari = await workspace.contact({ name: 'Kari Nordmann' });
    await workspace.contact({ name: 'Ola Hansen' });
    await workspace.client.post(`/contacts/${kari.id}/points`, { type: 'email', value: 'kari@example.no' });
    await workspace.client.post(`/contacts/${kari.id}/points`, { type: 'mobile', value: '+47 900 11 222' });
    const { page, open } = await enter(workspace);
    await open('/contacts');
    const rows = page.locator('[role=rowgroup] [data-index]');
    await expect.poll(() => rows.count()).toBe(2);
    for (const text of ['nordm', 'kari@ex', '900 11']) {
      await page.getByRole('searchbox').fill(text);
      await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(text);
      await expect.poll(() => rows.count()).toBe(1);
    }
    await page.getByRole('searchbox').fill('ingen');
    await page.getByText('Ingen kontakt passer til «ingen».').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Tøm' }).last().click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.locator('h1').click();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Kari Nordmann' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Kari Nordmann');
  });

  test('are read on as one scrolls, and only those in view exist', async () => {
    const workspace = await world.workspace();
    await world.sql(
      `with made as (
         insert into contacts (tenant_id, id, name, notes)
         select $1, gen_random_uuid(), 'Kontakt ' || to_char(n, 'FM0000'), '' from generate_series(1, 130) n
         returning *)
       select count(*) from made`,
      [workspace.id],
    );
    const { page, open } = await enter(workspace);
    await open('/contacts');
    await page.getByText('Kontakt 0001').waitFor();
    expect(await page.locator('[data-index]').count()).toBeLessThan(60);
    await expect.poll(() => page.locator('.toolbar-count').textContent()).toContain('130');
    await page.locator('[data-index="0"]').focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.locator('[role=row]:focus').textContent();
      })
      .toContain('Kontakt 0130');
  });

  test('say what will be here when there are none', async () => {
    const { page, open } = await enter(await world.workspace(), { screen: 'phone' });
    await open('/contacts');
    await page.getByText('Her kommer menneskene').waitFor();
    expect(await axe(page)).toEqual([]);
  });
});
