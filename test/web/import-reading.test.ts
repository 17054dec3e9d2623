import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { freshOrgnr } from '../workspace.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();

const choose = (page: Page, lines: string[], encoding: BufferEncoding = 'utf8') => {
  const buffer = Buffer.from(lines.join('\r\n'), encoding);
  return page.setInputFiles('input[type=file]', { name: 'kunder.csv', mimeType: 'text/csv', buffer });
};

const select = async (page: Page, label: string, option: string) => {
  await page.getByRole('button', { name: new RegExp(label) }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

/** A header and 101 rows. */
const wide = (columns: number) =>
  ['Navn', ...Array.from({ length: 101 }, (_, index) => `Kari ${index}`)].map(
    (name, line) => name + `;${line}`.repeat(columns - 1),
  );

describe.skipIf(CHROMIUM === undefined)('a file that is read for an import', () => {
  test('stays as it was where its columns cannot be guessed, or its content not be read, which is said', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    const lines = ['Orgnr;Status;X', `${freshOrgnr()};Kunde;1`];
    const unreachable = page.getByRole('alert').getByText('Får ikke kontakt med tjenesten');
    const unreadable =
      "Blob.prototype.read = Blob.prototype.arrayBuffer; Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))";
    await page.evaluate(unreadable);
    await choose(page, lines);
    await page.getByRole('alert').getByText('Filen kan ikke leses').waitFor();
    await page.evaluate('Blob.prototype.arrayBuffer = Blob.prototype.read');
    await page.route('**/import-guesses', (route) => route.abort());
    await choose(page, lines);
    await unreachable.waitFor();
    expect(await axe(page)).toEqual([]);

    await page.unroute('**/import-guesses');
    await choose(page, lines);
    await page.getByRole('heading', { name: 'Koble kolonner' }).waitFor();
    expect(await unreachable.count()).toBe(0);
    await select(page, 'Skilletegn', 'Loddrett strek');
    const fields = page.getByRole('button', { name: /Felt for kolonnen/ });
    await expect.poll(() => fields.count()).toBe(1);
    await page.route('**/import-guesses', (route) => route.abort());
    await select(page, 'Skilletegn', 'Semikolon');
    await unreachable.waitFor();
    expect(await fields.count()).toBe(1);
    await page.unroute('**/import-guesses');
    await select(page, 'Skilletegn', 'Semikolon');
    await expect.poll(() => fields.count()).toBe(3);
    await select(page, 'Felt for kolonnen X', 'Nettsted');
    expect(await unreachable.count()).toBe(0);
  });

  test('is read as it was chosen to be, also after a reload in the middle of the import', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByRole('radio', { name: 'Kontakter' }).press(' ');
    // A single byte is not UTF-8, and there are more semicolons than separators.
    const lines = ['Navn|X;Y;Z', 'Åse Ærø|?;2;3', 'Ola Ås|4;5;6'];
    const bytes = Buffer.from(lines.join('\r\n')).toString('latin1').replace('?', 'é').split('\r\n');
    await choose(page, bytes, 'latin1');
    await page.getByRole('button', { name: /Windows-1252/ }).waitFor();
    await select(page, 'Skilletegn', 'Loddrett strek');
    await page.getByRole('rowheader', { name: 'Navn', exact: false }).waitFor();
    await select(page, 'Tegnkoding', 'UTF-8');
    await page.getByRole('cell', { name: 'Åse Ærø · Ola Ås' }).waitFor();
    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    await page.route('**/imports/*/rows', (route) => route.abort());
    await page.getByRole('button', { name: 'Importer 2 rader' }).click();
    await page.getByRole('button', { name: 'Stopp', exact: true }).click();
    await page.getByText('Importen er stoppet').waitFor();
    await page.unroute('**/imports/*/rows');
    await open('/import');
    await page.getByRole('button', { name: 'Fortsett' }).click();
    await choose(page, bytes, 'latin1');
    await page.getByText('Importen er ferdig').waitFor();
    const { data } = (await workspace.client.get('/contacts?sort=name')).body;
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['Ola Ås', 'Åse Ærø']);
    expect(await page.evaluate("Object.keys(localStorage).filter((key) => key.includes('import'))")).toEqual(
      [],
    );
  });

  test('is checked, once it has been read as chosen, in the way it was read', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByRole('radio', { name: 'Kontakter' }).press(' ');
    await choose(page, ['Navn|X;Y', 'Kåre|1;2']);
    const check = page.getByRole('button', { name: 'Kontroller', exact: true });
    await check.waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/import-guesses', async (route) => {
      await held.promise;
      await route.continue().catch(() => undefined);
    });
    await select(page, 'Tegnkoding', 'Windows-1252');
    await expect.poll(() => check.getAttribute('aria-disabled')).toBe('true');
    await select(page, 'Skilletegn', 'Loddrett strek');
    for (const chosen of [/Windows-1252/, /Loddrett strek/])
      await page.getByRole('button', { name: chosen }).waitFor();
    held.resolve();
    await page.getByRole('cell', { name: 'KÃ¥re' }).waitFor();
    await check.click();
    await page.getByRole('button', { name: 'Importer 1 rad' }).click();
    await page.getByText('Importen er ferdig').waitFor();
    const { data } = (await workspace.client.get('/contacts')).body;
    expect(data).toMatchObject([{ name: 'KÃ¥re' }]);
  });

  test('may have 200 columns, and no more', async () => {
    const workspace = await world.workspace();
    const { page, open, runFirst } = await enter({ world, visit }, workspace);
    // Frames are late, so that the table appears before the focus that the step before has lost is placed.
    await runFirst(
      'const soon = requestAnimationFrame; requestAnimationFrame = (run) => setTimeout(soon, 500, run);',
    );
    await open('/import');
    await page.getByRole('radio', { name: 'Kontakter' }).press(' ');
    await choose(page, wide(201));
    await page.getByRole('alert').getByText('Filen har over 200 kolonner').waitFor();
    await choose(page, wide(200));
    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    await page.getByRole('button', { name: 'Importer 101 rader' }).waitFor();
    await page.getByRole('button', { name: 'Vis flere' }).press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(/^102Kari 100/);
  });
});
