import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { axe, CHROMIUM, useBrowser } from '../browser.ts';
import { createWorld } from '../world.ts';
import { freshOrgnr } from '../workspace.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();

const choose = (page: Page, lines: string[], encoding: BufferEncoding = 'utf8') =>
  page.setInputFiles('input[type=file]', {
    name: 'kunder.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n'), encoding),
  });

const select = async (page: Page, label: string, option: string) => {
  await page.getByRole('button', { name: new RegExp(label) }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

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
});
