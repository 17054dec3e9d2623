import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();

describe.skipIf(CHROMIUM === undefined)('the import of offers', () => {
  test('takes an admin by keyboard from a file of another program to offers and back; twice changes nothing', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const person = await workspace.addMember({}, 'admin');
    const { page, open } = await enter({ world, visit }, workspace, { person });
    const offers = async () => (await workspace.client.get('/offers')).body.data;
    const file = {
      name: 'tilbud.csv',
      mimeType: 'text/csv',
      // The last row of the file is one of Excel: blank.
      buffer: Buffer.from(
        [
          'Overskrift;Kjøper;Beløp;Fase;Sannsynlighet',
          `Årsavtale på øl;${company.orgnr};kr 120 000,00;Sendt;60 %`,
          `Uten beløp;${company.orgnr};mye;Ny;10`,
          `Uten fase;${company.orgnr};1;Kanskje;10`,
          ';;;;',
        ].join('\r\n'),
        'latin1',
      ),
    };
    const choose = async () => {
      const choosing = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Velg CSV-fil' }).press('Enter');
      await (await choosing).setFiles(file);
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Koble kolonner');
      // Neither the header nor the cells of this column tell its field.
      const title = page.getByRole('button', { name: /Felt for kolonnen Overskrift/ });
      await title.press('Enter');
      await page.getByRole('option', { name: 'Tittel' }).press('Enter');
      await expect.poll(() => title.textContent()).toContain('Tittel');
      await page.getByRole('button', { name: 'Kontroller', exact: true }).press('Enter');
      await page.getByText('Ingenting er endret ennå').waitFor();
    };
    await open('/import');
    await page.getByRole('radio', { name: 'Selskaper' }).focus();
    for (let at = 0; at < 2; at += 1) await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.getByRole('radio', { name: 'Tilbud' }).isChecked()).toBe(true);
    await choose();
    await page.getByRole('row', { name: /Årsavtale på øl Ny/ }).waitFor();
    await page.getByRole('row', { name: /Uten beløp Avvist Engangsbeløp er ikke et helt tall/ }).waitFor();
    const statuses = 'Ny, Sendt, I forhandling, Akseptert, Avslått';
    await page.getByRole('row', { name: `Uten fase Avvist Status er ikke en av ${statuses}` }).waitFor();
    await page.getByRole('button', { name: 'Importer 1 rad' }).press('Enter');
    await page.getByText('Importen er ferdig').waitFor();
    const imported = { title: 'Årsavtale på øl', one_time_revenue: 120_000, status: 'sent', weight: 60 };
    expect(await offers()).toMatchObject([{ ...imported, company_id: company.id, user_id: person.id }]);

    await page.getByRole('button', { name: 'Ny import' }).press('Enter');
    await choose();
    await page.getByRole('row', { name: /Årsavtale på øl Lik/ }).waitFor();
    const button = page.getByRole('button', { name: 'Ingenting å importere' });
    await expect.poll(() => button.isDisabled()).toBe(true);

    await open('/import');
    await page.getByRole('button', { name: 'Angre tilbud.csv' }).press('Enter');
    await focusIn(page.getByRole('alertdialog'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('1 rad er angret').first().waitFor();
    expect(await offers()).toEqual([]);
  });

  test('names a row by all columns of its title, and says which field several columns give', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByRole('radio', { name: 'Tilbud' }).check({ force: true });
    await page.setInputFiles('input[type=file]', {
      name: 'tilbud.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`Tittel;Orgnr;Engangsbeløp;Del;I fjor\nLisens;${orgnr};50000;Norge;20000\n`),
    });
    for (const [column, field] of [
      ['Del', 'Tittel'],
      ['I fjor', 'Engangsbeløp'],
    ] as const) {
      await page.getByRole('button', { name: `Felt for kolonnen ${column}` }).click();
      const fields = page.getByRole('listbox', { name: `Felt for kolonnen ${column}` });
      await fields.getByRole('option', { name: field }).click();
    }
    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    const refused = page.getByRole('row', { name: /Lisens Norge Avvist Engangsbeløp har flere verdier/ });
    await expect.poll(() => refused.count()).toBe(1);
  });

  test('says on a phone below each row why it is refused', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter({ world, visit }, workspace, { language: 'en', screen: 'phone' });
    await open('/import');
    await page.getByRole('radio', { name: 'Offers' }).check({ force: true });
    await page.setInputFiles('input[type=file]', {
      name: 'offers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`Title,Organisation number,Weight\nLicence,${orgnr},more than enough\n`),
    });
    const shown = page.getByRole('button', { name: /^UTF-8 Encoding|Encoding/ });
    await expect.poll(() => shown.textContent()).toBe('UTF-8');
    await page.getByRole('button', { name: 'Check', exact: true }).tap();
    const row = page.getByRole('row', {
      name: /Licence Weight is not a whole number within the limits Refused/,
    });
    const [cell, whole] = [await row.getByRole('rowheader').boundingBox(), await row.boundingBox()];
    expect(cell!.width).toBeGreaterThan(whole!.width / 2);
    expect(await axe(page)).toEqual([]);
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
      .toBe(true);
  });
});
