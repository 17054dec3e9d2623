import { describe, expect, test } from 'vitest';
import { axe, CHROMIUM, useBrowser, type Screen } from '../browser.ts';
import { createWorld, type Workspace } from '../world.ts';

describe.skipIf(CHROMIUM === undefined)('the list of companies', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function enter(workspace: Workspace, screen: Screen = 'wide') {
    const token = await workspace.sessionOf();
    const { page, open } = await visit(world.origin, { screen });
    await page.context().addCookies([{ name: 'kundebok_session', value: token, url: world.origin }]);
    return { page, open };
  }

  test('has nothing that axe objects to: empty, with rows, chosen, while adding', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
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
    await page.getByPlaceholder('Navn eller organisasjonsnummer').fill('equinor');
    await page.getByRole('menuitem').first().waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('is searched and filtered; the address holds it all, with the count', async () => {
    const workspace = await world.workspace();
    const [one, other] = [await workspace.company({ status: 'customer' }), await workspace.company()];
    const { page, open } = await enter(workspace);
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
    await page.getByRole('button', { name: 'Fjern filtrene' }).click();
    await row(other.name).waitFor();

    await workspace.deleteCompany(other.orgnr);
    await open('/companies?deleted=true');
    await row(other.name).waitFor();
    await expect.poll(() => row(one.name).count()).toBe(0);
  });

  test('is walked and changed by keyboard alone, many at once, with undo', async () => {
    const workspace = await world.workspace();
    for (let n = 0; n < 3; n += 1) await workspace.company();
    const { page, open } = await enter(workspace);
    await open('/companies');
    await page.getByRole('row').nth(3).waitFor();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Sett status' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Lead' }).waitFor();
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

  test('asks for a company when the pointer rests on its row, and not for all that it moves over', async () => {
    const workspace = await world.workspace();
    for (let n = 0; n < 12; n += 1) await workspace.company();
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
  });

  test.each(['nb', 'en'] as const)('adds a company by name, in %s', async (language) => {
    const workspace = await world.workspace();
    await world.sql('update users set language = $2 where id = $1', [workspace.owner.id, language]);
    const { page, open } = await enter(workspace, language === 'nb' ? 'wide' : 'phone');
    await open('/companies');
    const isNorwegian = language === 'nb';
    await page.getByRole('button', { name: isNorwegian ? 'Legg til selskap' : 'Add company' }).click();
    const hint = isNorwegian ? 'Navn eller organisasjonsnummer' : 'Name or organisation number';
    // One answer after the other in the same place.
    await page.getByPlaceholder(hint).fill('telenor asa');
    await page.getByRole('menuitem', { name: /TELENOR ASA/ }).waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/register?**', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByPlaceholder(hint).fill('equinor asa');
    // What an earlier text found is not taken.
    await page.keyboard.press('Enter');
    release();
    await page.getByRole('menuitem', { name: 'EQUINOR ASA 923 609 016' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(isNorwegian ? 'Næringskode 06.100' : 'Industry code 06.100').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/companies/923609016');
    await page.getByRole('heading', { name: 'EQUINOR ASA' }).waitFor();
    const { body } = await workspace.client.get('/companies/923609016');
    expect(body.data.source).toBe('application');

    await open('/companies');
    await page.getByRole('button', { name: isNorwegian ? 'Legg til selskap' : 'Add company' }).click();
    await page.getByPlaceholder(hint).fill('923 609 016');
    await page.getByRole('menuitem', { name: 'EQUINOR ASA 923 609 016' }).waitFor();
    await page.getByText(isNorwegian ? 'Finnes her' : 'Already here').waitFor();
  });

  test('keeps a view under a name, and columns in the address', async () => {
    const workspace = await world.workspace();
    await workspace.company({ status: 'customer' });
    const { page, open } = await enter(workspace);
    await open('/companies?status=customer');
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

  test('shows what others change, and keeps what is known while the service fails', async () => {
    const workspace = await world.workspace();
    const { orgnr, name, id } = await workspace.company();
    const { page, open } = await enter(workspace, 'phone');
    await open('/companies');
    const row = page.getByRole('row', { name });
    await row.getByText('Prospekt').waitFor();
    expect(await axe(page)).toEqual([]);
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    await row.getByText('Kunde').waitFor({ timeout: 2_000 });
    await workspace.task({ related_company_id: id, due_date: '2026-01-02T09:00:00Z' });
    await row.getByText('Forfalt').waitFor({ timeout: 2_000 });

    await page.route('**/companies/overview?**', (route) => route.abort());
    await page.getByRole('searchbox').fill('noe annet');
    await page.getByRole('alert').getByText('Får ikke kontakt').waitFor();
    await page.unroute('**/companies/overview?**');
    await page.getByRole('button', { name: 'Prøv igjen' }).click();
    await page.getByText('Ingen selskaper passer').waitFor();
  });
});
