import { describe, expect, test } from 'vitest';
import { settle, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { importFile } from '../import-file.ts';
import { SLOW_PAGES } from '../slow-pages.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();

const csv = (lines: string[]) => ({
  name: 'kunder.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(lines.join('\r\n')),
});

describe.skipIf(CHROMIUM === undefined)('the import', () => {
  test('says of rows that undoing left because somebody has deleted what they were about', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const { id, rows } = await importFile(browser, 'contact', [['Navn'], ['Kari'], ['Ola']]);
    await workspace.client.delete(`/contacts/${rows[0].resource_id}`);
    await browser.post(`/imports/${id}/undo`, {});
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByText('1 rad er ikke angret: endret eller slettet siden').waitFor();
    await page.getByRole('button', { name: 'Vis hvilke' }).click();
    const list = page.locator('.import-kept-list li');
    await expect
      .poll(() => list.allTextContents())
      .toEqual(['Rad 2: slettet eller slått sammen med en annen']);
  });

  test('has the focus on its heading when it is done before its progress was rendered', async () => {
    const workspace = await world.workspace();
    const { page, open, runFirst } = await enter({ world, visit }, workspace);
    await runFirst(SLOW_PAGES.rendering);
    await open('/import');
    await page.getByRole('radio', { name: 'Kontakter' }).check({ force: true });
    await page.setInputFiles('input[type=file]', csv(['Navn', 'Kari']));
    await page.getByRole('button', { name: 'Kontroller', exact: true }).press('Enter');
    const start = page.getByRole('button', { name: 'Importer 1 rad' });
    await start.focus();
    // The step before no longer watches the focus.
    await settle(page);
    await start.press('Enter');
    await page.getByText('Importen er ferdig').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('import-heading');
  });

  test('goes on where it was interrupted, with the same file', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const about = { resource: 'contact', columns: ['name', null], file_name: 'kunder.csv', row_count: 2 };
    const { id } = (await browser.post('/imports', about)).body.data;
    await browser.post(`/imports/${id}/rows`, { rows: [{ line: 2, cells: ['Kari'] }] });
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByText('Stoppet etter 1 av 2 rader').waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.getByRole('button', { name: 'Fortsett' }).press('Enter');
    await expect.poll(focused).toBe('Velg fil');
    // The file is still being opened when a new import is asked for.
    await page.evaluate(`const read = Blob.prototype.arrayBuffer;
      Blob.prototype.arrayBuffer = async function () {
        Blob.prototype.arrayBuffer = read;
        await new Promise((resolve) => (window.goOnReading = resolve));
        return read.call(this);
      }`);
    await page.setInputFiles('input[type=file]', csv(['Navn;X', 'Kari;1', 'Ola;2']));
    await page.getByRole('button', { name: 'Ny import' }).press('Enter');
    await page.evaluate('window.goOnReading()');
    await page.getByRole('radio', { name: 'Kontakter' }).waitFor();
    await expect.poll(focused).toBe('Import');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.getByRole('radio', { name: 'Kontakter' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Fortsett' }).click();
    await page.setInputFiles('input[type=file]', csv(['Navn;X', 'Kari;1']));
    await page.getByText('Dette er en annen fil').waitFor();
    await page.setInputFiles('input[type=file]', csv(['Navn;X', 'Kari;1', 'Ola;2']));
    await page.getByText('Importen er ferdig').waitFor();
    await expect.poll(async () => (await workspace.client.get('/contacts')).body.data).toHaveLength(2);
  });
});
