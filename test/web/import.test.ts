import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { freshOrgnr } from '../workspace.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();

const csv = (lines: string[], encoding: BufferEncoding = 'utf8') => ({
  name: 'kunder.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(lines.join('\r\n'), encoding),
});

describe.skipIf(CHROMIUM === undefined)('the import', () => {
  test('is checked, read in and undone, by keyboard', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByText('Ingen filer er importert ennå').waitFor();
    expect(await axe(page)).toEqual([]);

    await page.getByRole('radio', { name: 'Selskaper' }).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.getByRole('radio', { name: 'Kontakter' }).isChecked()).toBe(true);
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Velg CSV-fil' }).press('Enter');
    await (
      await choosing
    ).setFiles(
      csv(
        [
          'Fullt navn;E-post;Orgnr;Skostørrelse',
          `Kari Åsen;kari@example.no;${company.orgnr};38`,
          'Ola;ikke en adresse;;',
        ],
        'latin1',
      ),
    );
    const heading = page.getByRole('heading', { level: 2 }).first();
    await expect.poll(() => heading.textContent()).toBe('Koble kolonner');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Koble kolonner');
    await page.getByRole('cell', { name: 'Kari Åsen · Ola' }).waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: /Tegnkoding/ }).textContent())
      .toContain('Windows-1252');
    expect(
      await page.getByRole('button', { name: /Felt for kolonnen Skostørrelse/ }).textContent(),
    ).toContain('Ikke ta med');
    expect(await axe(page)).toEqual([]);

    await page.getByRole('button', { name: 'Kontroller', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Ingenting er endret ennå').waitFor();
    await page.getByRole('row', { name: /Kari Åsen Ny/ }).waitFor();
    await page.getByRole('row', { name: /Ola Avvist E-post er ikke en e-postadresse/ }).waitFor();
    expect(await axe(page)).toEqual([]);
    await expect.poll(async () => (await workspace.client.get('/contacts')).body.data).toEqual([]);

    await page.getByRole('button', { name: 'Importer 1 rad' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Importen er ferdig').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H2');
    await expect
      .poll(async () => (await workspace.client.get('/contacts')).body.data)
      .toMatchObject([{ name: 'Kari Åsen' }]);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Last ned avviste rader' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('kunder-avviste.csv');
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toBe(
      '\uFEFFFullt navn;E-post;Orgnr;Skostørrelse;Rad;Årsak\r\nOla;ikke en adresse;;;3;E-post er ikke en e-postadresse',
    );

    await page.getByRole('button', { name: 'Angre kunder.csv' }).click();
    await focusIn(page.getByRole('alertdialog'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('1 rad er angret').first().waitFor();
    await expect.poll(async () => (await workspace.client.get('/contacts')).body.data).toEqual([]);
    expect(await axe(page)).toEqual([]);
  });

  test('speaks English and fits a phone, and lists what undoing leaves', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace, { language: 'en', screen: 'phone' });
    await open('/import');
    await expect.poll(() => page.locator('h1').textContent()).toBe('Import');
    await expect
      .poll(() => page.getByRole('heading', { level: 2 }).first().textContent())
      .toBe('Choose a file');
    const workbook = {
      name: 'customers.xlsx',
      mimeType: '',
      buffer: Buffer.from('PK\u0003\u0004\u0014\0\0\0\n'),
    };
    await page.setInputFiles('input[type=file]', workbook);
    await page.getByText('This is not a CSV file. If it is a workbook, save it as CSV').waitFor();
    const orgnrs = [freshOrgnr(), freshOrgnr()];
    await page.setInputFiles(
      'input[type=file]',
      csv(['Organisation number,Status', ...orgnrs.map((orgnr) => `${orgnr},Customer`)]),
    );
    await page.getByRole('heading', { name: 'Match columns' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Check', exact: true }).tap();
    await page.getByRole('row', { name: /New/ }).first().waitFor();
    expect(await axe(page)).toEqual([]);
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
      .toBe(true);
    await page.getByRole('button', { name: 'Import 2 rows' }).tap();
    await page.getByText('The import is done.').waitFor();
    await expect
      .poll(async () => (await workspace.client.get('/companies')).body.data)
      .toMatchObject([{ status: 'customer' }, { status: 'customer' }]);

    for (const orgnr of orgnrs) await workspace.client.patch(`/companies/${orgnr}`, { status: 'lead' });
    const nameOf = async (orgnr: string) =>
      (await workspace.client.get(`/companies/${orgnr}`)).body.data.name;
    await page.getByRole('button', { name: 'Undo kunder.csv' }).tap();
    await page.getByRole('button', { name: 'Undo the import' }).tap();
    await page.getByText('2 rows are not undone: changed or deleted since').waitFor();
    await page.route('**/imports/*/rows?*', (route) => route.fulfill({ status: 403, json: {} }), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Show which' }).press('Enter');
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    // One row at a time, where the page asks for 500.
    await page.route('**/imports/*/rows?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=500', 'limit=1') }),
    );
    await again.press('Enter');
    await page.getByRole('link', { name: await nameOf(orgnrs[0]!), exact: true }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('UL');
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    await page.getByRole('link', { name: await nameOf(orgnrs[1]!), exact: true }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('UL');
    expect(await axe(page)).toEqual([]);
  });

  test('says that a contact would have too many details', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact();
    await world.query(
      `insert into contact_points (tenant_id, contact_id, type, label, value)
       select $1, $2, 'other', 'x', n::text from generate_series(1, 1000) as n`,
      [workspace.id, id],
    );
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByRole('radio', { name: 'Kontakter' }).check({ force: true });
    await page.setInputFiles('input[type=file]', csv(['ID;E-post', `${id};kari@example.no`]));
    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    const refused = page.getByRole('row', { name: /Avvist Kontakten får mer enn 1000 opplysninger/ });
    await expect.poll(() => refused.count()).toBe(1);
  });

  test('refuses a row that is too long for a request, and a file whose quotation mark hides rows', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByRole('radio', { name: 'Kontakter' }).check({ force: true });
    await page.setInputFiles(
      'input[type=file]',
      csv(['Navn;Notat', `Kari;${'x '.repeat(150_000)}x`, 'Ola;']),
    );
    const check = page.getByRole('button', { name: 'Kontroller', exact: true });
    await check.click();
    await page.getByRole('row', { name: /Kari Avvist Notater er for lang/ }).waitFor();
    await page.getByRole('row', { name: /Ola Ny/ }).waitFor();
    await page.getByRole('button', { name: 'Tilbake' }).click();
    await page.getByRole('button', { name: 'Tilbake' }).click();
    await page.setInputFiles(
      'input[type=file]',
      csv(['Navn;Notat', 'Ola;x', 'Kari;"Bamse" ringes sist', 'Per;y']),
    );
    await page.getByText('Rad 3 har et anførselstegn som ikke er avsluttet').waitFor();
    expect(await check.isDisabled()).toBe(true);
    expect(await axe(page)).toEqual([]);
  });

  test('reads back the export that the menu of a list saves', async () => {
    const workspace = await world.workspace();
    await workspace.company({ status: 'customer' });
    await workspace.company({ status: 'lead' });
    const { page, open, go } = await enter({ world, visit }, workspace);
    await open('/companies?status=lead');
    await page.getByRole('button', { name: 'Flere valg' }).first().click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Eksporter som CSV' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('companies.csv');
    await expect
      .poll(async () => (await readFile(await download.path(), 'utf8')).trim().split('\r\n'))
      .toHaveLength(2);
    await go('/import');
    await page.setInputFiles('input[type=file]', await download.path());
    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    await page.getByRole('row', { name: /Lik/ }).waitFor();
  });

  test('tells a member that it takes an administrator', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace, { person: workspace.member });
    await open('/import');
    await page.getByText('Bare administratorer og eiere kan importere').waitFor();
    await page.getByRole('link', { name: 'Se hvem det er' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Velg CSV-fil' }).count()).toBe(0);
  });
});
