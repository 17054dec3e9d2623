import { describe, expect, test } from 'vitest';
import { axe, useBrowser, type Screen } from '../browser.ts';
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

describe.skipIf(CHROMIUM === undefined)('contacts', () => {
  test('say what will be here; are found by name, address and number, and opened by keys alone', async () => {
    const workspace = await world.workspace();
    const { page, open, show } = await enter(workspace, { screen: 'phone' });
    await open('/contacts');
    await page.getByText('Her kommer menneskene').waitFor();
    expect(await axe(page)).toEqual([]);

    const kari = await workspace.contact({ name: 'Kari Nordmann' });
    await workspace.contact({ name: 'Ola Hansen' });
    await workspace.client.post(`/contacts/${kari.id}/points`, { type: 'email', value: 'kari@example.no' });
    await workspace.client.post(`/contacts/${kari.id}/points`, { type: 'mobile', value: '+47 900 11 222' });
    // Shown without a reload.
    await show('wide');
    const rows = page.locator('[role=rowgroup] [data-index]');
    await expect.poll(() => rows.count()).toBe(2);
    for (const text of ['nordm', 'kari@ex', '900 11']) {
      await page.getByRole('searchbox').fill(text);
      await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(text);
      await expect.poll(() => rows.count()).toBe(1);
    }
    // No more is searched for than the service takes.
    await page.getByRole('searchbox').fill('nordm'.padEnd(101));
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('x'.repeat(101));
    await page.getByText('Ingen kontakt passer').waitFor();
    await page.getByRole('searchbox').fill(' ');
    await expect.poll(() => rows.count()).toBe(2);
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
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Kari Nordmann');
  });

  test.each(['contacts', 'companies'])(
    'of a search, %s, are neither counted nor said to be missing before it is answered',
    async (list) => {
      const workspace = await world.workspace();
      const { name } =
        list === 'contacts' ? await workspace.contact({ name: 'Kari Nordmann' }) : await workspace.company();
      const { page, open } = await enter(workspace);
      await open(`/${list}?q=zzz`);
      await page.locator('.state').waitFor();
      const held = Promise.withResolvers<void>();
      await page.route(new RegExp(`/app/api/${list}`), async (route) => {
        await held.promise;
        await route.fallback();
      });
      const asked = page.waitForRequest(new RegExp(`/app/api/${list}.*q=`));
      const word = name.split(' ')[0]!;
      await page.getByRole('searchbox').fill(word);
      await asked;
      await page.locator('.skeleton').first().waitFor();
      expect(await page.locator('.state').count()).toBe(0);
      expect(await page.locator('.toolbar-count').allTextContents()).not.toContain('0 rader');
      held.resolve();
      await page.getByText(name).first().waitFor();
    },
  );

  test('are read on as one scrolls, and only those in view exist', async () => {
    const workspace = await world.workspace();
    await world.query(
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
    await expect.poll(() => page.locator('[data-index]').count()).toBeLessThan(60);
    await expect.poll(() => page.locator('.toolbar-count').textContent()).toContain('130');
    await page.locator('[data-index="0"]').focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.locator('[role=row]:focus').textContent();
      })
      .toContain('Kontakt 0130');
  });
});
