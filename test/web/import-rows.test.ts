import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('the rows of an import', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('are named also where nothing names them, and what is done with them can be read whole on a phone', async () => {
    const { page, open } = await enter({ world, visit }, await world.workspace(), { screen: 'phone' });
    await open('/import');
    await page.setInputFiles('input[type=file]', {
      name: 'kunder.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Organisasjonsnummer;Status\r\n;Kunde\r\n'),
    });
    await page.getByRole('button', { name: 'Kontroller' }).click();
    const nothing = page.getByRole('button', { name: 'Ingenting å importere' });
    await nothing.waitFor();
    await page.getByRole('rowheader', { name: 'ikke fylt ut' }).waitFor();
    expect(await axe(page)).toEqual([]);
    const cut = await nothing
      .locator('.button-text')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(cut).toBe(0);
  });
});
