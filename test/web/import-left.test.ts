import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { freshOrgnr } from '../workspace.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();
// A clock that was set cannot be set back.
const visitOnce = useBrowser({ fresh: true });

const csv = (...lines: string[]) => ({
  name: 'kunder.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(lines.join('\r\n')),
});

describe.skipIf(CHROMIUM === undefined)('an import that is under way', () => {
  test('is of the file that was chosen last, also where an earlier one is answered later, and asks before another page stops it', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    const held = Promise.withResolvers<void>();
    const fulfilled = Promise.withResolvers<void>();
    await page.route(
      '**/import-guesses',
      async (route) => {
        const response = await route.fetch();
        await held.promise;
        await route.fulfill({ response });
        fulfilled.resolve();
      },
      { times: 1 },
    );
    const asked = page.waitForRequest('**/import-guesses');
    await page.setInputFiles('input[type=file]', csv('Organisasjonsnummer;Status', `${freshOrgnr()};Kunde`));
    await asked;
    await page.setInputFiles('input[type=file]', csv('Status;Organisasjonsnummer', `Kunde;${freshOrgnr()}`));
    const field = page.getByRole('button', { name: /Felt for kolonnen Status/ });
    await expect.poll(() => field.textContent()).toContain('Status');
    held.resolve();
    await fulfilled.promise;
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await field.textContent()).toContain('Status');

    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    const stored = Promise.withResolvers<void>();
    await page.route('**/imports/*/rows', async (route) => {
      await stored.promise;
      await route.continue();
    });
    const storing = page.waitForRequest('**/imports/*/rows');
    await page.getByRole('button', { name: 'Importer 1 rad' }).click();
    await storing;
    await page.getByRole('navigation').getByRole('link', { name: 'Selskaper' }).click();
    await page.getByRole('alertdialog', { name: 'Importen pågår' }).getByText('med samme fil').waitFor();
    await page.getByRole('button', { name: 'Avbryt' }).click();
    // The import ends while the question is shown.
    await page.getByRole('navigation').getByRole('link', { name: 'Selskaper' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Importen pågår' });
    await dialog.waitFor();
    stored.resolve();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Importen er ferdig').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Selskaper' }).click();
    await page.getByRole('heading', { name: 'Selskaper', level: 1 }).waitFor();
    expect((await workspace.client.get('/companies')).body.data).toHaveLength(1);
  });

  test('is of what was chosen last, also while its file is being opened', async () => {
    const { page, open } = await enter({ world, visit }, await world.workspace());
    await open('/import');
    const held = Promise.withResolvers<void>();
    await page.route('**/import-guesses', async (route) => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response }).catch(() => {});
    });
    const asked = page.waitForRequest('**/import-guesses');
    await page.setInputFiles('input[type=file]', csv('Navn;E-post', 'Kari;kari@example.no'));
    await asked;
    const choose = page.getByRole('button', { name: 'Velg CSV-fil' });
    await expect.poll(() => choose.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('radio', { name: 'Kontakter' }).check({ force: true });
    held.resolve();
    const field = page.getByRole('button', { name: /Felt for kolonnen Navn/ });
    await expect.poll(() => field.textContent()).toContain('Navn');
    await page.getByRole('button', { name: 'Tilbake' }).click();
    await expect.poll(() => choose.getAttribute('aria-disabled')).toBe(null);
  });

  test('is neither continued nor undone by somebody else until a minute after its last rows', async () => {
    const workspace = await world.workspace();
    const other = await workspace.signIn(await workspace.addMember({}, 'admin'));
    const about = { resource: 'contact', columns: ['name'], file_name: 'kunder.csv', row_count: 2 };
    const { id } = (await other.post('/imports', about)).body.data;
    await other.post(`/imports/${id}/rows`, { rows: [{ line: 2, cells: ['Kari'] }] });
    await other.post('/imports', { ...about, file_name: 'en.csv', row_count: 1 });
    const { page, open } = await enter({ world, visit: visitOnce }, workspace);
    await page.clock.install();
    await open('/import');
    await page.getByText('Pågår: 1 av 2 rader').waitFor();
    expect(await page.getByText('Pågår: 0 av').textContent()).toBe('Pågår: 0 av 1 rad');
    const goOn = page.getByRole('button', { name: 'Fortsett' });
    const undo = page.getByRole('button', { name: 'Angre kunder.csv' });
    expect([await goOn.count(), await undo.count()]).toEqual([0, 0]);
    expect(await axe(page)).toEqual([]);
    // The last rows of the other import are dated in the future, so it counts as under way for two more minutes.
    await world.query(
      `update imports set updated_at = now() + case when id = $1 then interval '-61 seconds' else '59 seconds' end
       where tenant_id = $2`,
      [id, workspace.id],
    );
    await page.clock.fastForward('00:30');
    await page.getByText('Stoppet etter 1 av 2 rader').waitFor();
    expect([await goOn.count(), await undo.count()]).toEqual([1, 1]);
  });

  test('stops after the rows that the service has already, and shows what became of them', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByRole('radio', { name: 'Kontakter' }).check({ force: true });
    const people = Array.from({ length: 150 }, (_, index) => `Person ${index}`);
    await page.setInputFiles('input[type=file]', csv('Navn;E-post', ...people.map((name) => `${name};`)));
    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    const held = Promise.withResolvers<void>();
    await page.route('**/imports/*/rows', async (route) => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    });
    const sent = page.waitForRequest('**/imports/*/rows');
    await page.getByRole('button', { name: 'Importer 150 rader' }).click();
    await sent;
    await page.getByRole('button', { name: 'Stopp', exact: true }).click();
    await page.getByText('Stopper etter radene som er sendt').waitFor();
    held.resolve();
    await page.getByText('Importen er stoppet').waitFor();
    await page.getByRole('radio', { name: '100 Nye' }).waitFor();
    await page.getByText('Stoppet etter 100 av 150 rader').waitFor();
    await page.getByRole('button', { name: 'Angre kunder.csv' }).waitFor();
    await page.getByRole('button', { name: 'Fortsett' }).first().click();
    await page.getByText('Importen er ferdig').waitFor();
    await page.getByRole('radio', { name: '150 Nye' }).waitFor();
    const stored = 'select count(*)::integer from contacts where tenant_id = $1';
    expect(await world.query(stored, [workspace.id])).toEqual([{ count: 150 }]);
  });

  test('is continued with its file as it was, not with one in which a row that is done was corrected', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/import');
    await page.getByRole('radio', { name: 'Kontakter' }).check({ force: true });
    const rows = Array.from({ length: 101 }, (_, index) => `Person ${index};`);
    await page.setInputFiles('input[type=file]', csv('Navn;E-post', ...rows));
    await page.getByRole('button', { name: 'Kontroller', exact: true }).click();
    const last = Promise.withResolvers<void>();
    await page.route('**/imports/*/rows', async (route) => {
      if (!route.request().postData()!.includes('Person 100')) return route.continue();
      last.resolve();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Importer 101 rader' }).click();
    await last.promise;
    await page.getByRole('button', { name: 'Stopp', exact: true }).click();
    await page.getByText('Importen er stoppet').waitFor();
    await page.unroute('**/imports/*/rows');

    await open('/import');
    await page.getByText('Stoppet etter 100 av 101 rader').waitFor();
    await page.getByRole('button', { name: 'Fortsett' }).click();
    await page.setInputFiles('input[type=file]', csv('Navn;E-post', 'Persson 0;', ...rows.slice(1)));
    await page.getByText('Dette er en annen fil').waitFor();
    expect((await workspace.client.get('/contacts?q=100')).body.data).toEqual([]);
    await page.setInputFiles('input[type=file]', csv('Navn;E-post', ...rows));
    await page.getByText('Importen er ferdig').waitFor();
    await page.getByRole('radio', { name: '101 Nye' }).waitFor();
  });
});
