import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser, type Screen } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { addEquinor } from './add-equinor.ts';

describe.skipIf(CHROMIUM === undefined)('the list of companies', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function enter(workspace: Workspace, screen: Screen = 'wide') {
    const token = await workspace.sessionOf();
    const visited = await visit(world.origin, { screen });
    await visited.page.context().addCookies([{ name: 'kundebok_session', value: token, url: world.origin }]);
    return visited;
  }

  test('gets a company by name; axe objects to nothing: empty, with rows, chosen, while adding', async () => {
    const workspace = await world.workspace();
    const visited = await enter(workspace);
    const { page, open } = visited;
    await open('/companies');
    await page.getByText('Her kommer selskapene').waitFor();
    expect(await axe(page)).toEqual([]);
    const { orgnr } = await workspace.company({ status: 'customer', assigned_to: workspace.member.id });
    await workspace.archiveCompany(orgnr);
    await page.getByRole('row').nth(1).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 valgt').first().waitFor();
    expect(await page.getByRole('checkbox', { name: /^Velg raden \S+/, checked: true }).count()).toBe(1);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('n');
    await focusIn(page.getByRole('dialog'));
    await page.keyboard.press('Escape');
    await page.getByPlaceholder('Navn eller organisasjonsnummer').waitFor({ state: 'detached' });
    await addEquinor(visited, workspace, 'nb');
  });

  test('is searched and filtered; the address holds it all, which is kept as a view under a name', async () => {
    const workspace = await world.workspace();
    const [one, other] = [await workspace.company({ status: 'customer' }), await workspace.company()];
    const { page, open, go } = await enter(workspace);
    await open('/companies');
    const row = (name: string) => page.getByRole('row', { name });
    await row(other.name).waitFor();
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('menuitemradio', { name: 'Kunde', exact: true }).click();
    await row(other.name).waitFor({ state: 'detached' });
    await expect.poll(() => row(one.name).count()).toBe(1);
    await expect.poll(() => page.locator('.toolbar-count').textContent()).toContain('1');
    expect(new URL(page.url()).search).toBe('?status=customer');
    await page.getByRole('searchbox').fill(other.orgnr);
    await page.getByText('Ingen selskaper passer').waitFor();
    await page.getByRole('button', { name: 'Ansvarlig' }).click();
    await page.getByRole('menuitemradio', { name: 'Meg', exact: true }).click();
    await page.getByRole('button', { name: 'Ansvarlig: Meg', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Fjern filtrene' }).click();
    await row(other.name).waitFor();

    await workspace.deleteCompany(other.orgnr);
    await open('/companies?deleted=true');
    await row(other.name).waitFor();
    await expect.poll(() => row(one.name).count()).toBe(0);

    await go('/');
    await go('/companies?status=customer');
    await row(one.name).waitFor();
    await page.getByRole('button', { name: 'Tilpass', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Ansatte' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Ansatte' }).waitFor();
    await page.getByRole('button', { name: 'Visninger' }).click();
    await page.getByRole('menuitem', { name: 'Lagre visningen' }).click();
    await page.getByLabel('Navn på visningen').fill('Kundene våre');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Kundene våre' }).waitFor();
    await open('/companies');
    await page.getByRole('button', { name: 'Visninger' }).click();
    await page.getByRole('menuitem', { name: 'Kundene våre' }).click();
    await page.waitForURL(/status=customer/);
    expect(new URL(page.url()).searchParams.get('columns')).toContain('employees');
    await page.getByRole('columnheader', { name: 'Ansatte' }).waitFor();
  });

  test('says of a unit of the register what the workspace has of it by now', async () => {
    const workspace = await world.workspace();
    const { page, open, go } = await enter(workspace);
    const item = page.getByRole('menuitem', { name: /^EQUINOR ASA/ });
    const findAgain = async () => {
      await go('/companies');
      await page.keyboard.press('n');
      await page.getByPlaceholder('Navn eller organisasjonsnummer').fill('923609016');
      await item.waitFor();
    };
    await open('/shortcuts');
    await findAgain();
    await page.keyboard.press('Escape');
    await go('/companies/923609016');
    await page.getByRole('button', { name: 'Legg til selskapet' }).click();
    await page.getByRole('heading', { name: 'EQUINOR ASA' }).waitFor();
    await findAgain();
    await item.getByText('Finnes her').waitFor();
    await page.keyboard.press('Escape');
    await go('/companies/923609016');
    await page.getByRole('button', { name: 'Flere valg' }).click();
    await page.getByRole('menuitem', { name: 'Slett' }).click();
    await page.getByText('Integrasjoner får 404').waitFor();
    // A dissolved unit may have no organisation form.
    await page.route('**/register/923609016', async (route) => {
      const answer = await route.fetch();
      const { data } = await answer.json();
      await route.fulfill({ json: { data: { ...data, org_form: null, dissolved_on: '2026-01-02' } } });
    });
    await findAgain();
    await expect.poll(() => item.textContent()).toMatch(/^EQUINOR ASA923\s609\s016Slettet her$/);
  });

  test('asks for a company when the pointer rests on its row, not for all it moves over, and is walked by keyboard', async () => {
    const workspace = await world.workspace();
    await Promise.all(Array.from({ length: 12 }, () => workspace.company()));
    const { page, open } = await enter(workspace);
    const asked: string[] = [];
    page.on('requestfinished', (request) => {
      const path = new URL(request.url()).pathname;
      if (/^\/app\/api\/companies\/\d{9}/.test(path)) asked.push(path.replace('/app/api', ''));
    });
    await open('/companies');
    const row = page.getByRole('row').nth(12);
    const address = (await row.getByRole('link').getAttribute('href'))!;
    await row.hover();
    await expect.poll(() => asked.length).toBe(3);
    expect(asked.toSorted()).toEqual([address, `${address}/counts`, `${address}/timeline`]);
    await row.click();
    await page.getByRole('listitem').filter({ hasText: 'la til selskapet' }).waitFor();
    expect(asked).toHaveLength(3);

    await page.goBack();
    const from = performance.now();
    const { x, y } = (await page.getByRole('row').nth(1).boundingBox())!;
    const last = (await page.getByRole('row').nth(12).boundingBox())!;
    await page.mouse.move(x + 100, y + 4);
    await page.mouse.move(x + 100, last.y + 4, { steps: 48 });
    const companies = new Set(asked.map((path) => path.slice(0, '/companies/912345678'.length)));
    expect(companies.size).toBeLessThanOrEqual(5 + Math.ceil((performance.now() - from) / 2_000));

    // By keyboard alone, many at once, with undo.
    await page.locator('h1').focus();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Sett status' }).focus();
    await page.keyboard.press('Enter');
    await focusIn(page.getByRole('menu'));
    await page.keyboard.press('Enter');
    await page.getByText('2 selskaper er endret').waitFor();
    const leads = async () => (await workspace.client.get('/companies?status=lead')).body.data.length;
    await expect.poll(() => leads()).toBe(2);
    await page.getByRole('button', { name: 'Angre' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(leads).toBe(0);

    await page.keyboard.press('Escape');
    await page.locator('h1').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/companies\/\d{9}$/);
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
  });
});
