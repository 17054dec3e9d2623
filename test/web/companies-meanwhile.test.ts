import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { addEquinor } from './add-equinor.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('the list of companies', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('shows what others change, keeps what is known while the service fails, and gets a new company, in English', async () => {
    const workspace = await world.workspace();
    const { orgnr, name, id } = await workspace.company();
    const visited = await enter({ world, visit }, workspace, { screen: 'phone', language: 'en' });
    const { page, open } = visited;
    await open('/companies');
    const row = page.getByRole('row', { name });
    await row.getByText('Prospect').waitFor();
    expect(await axe(page)).toEqual([]);
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    await row.getByText('Customer').waitFor();
    await workspace.task({ related_company_id: id, due_date: '2026-01-02T09:00:00Z' });
    await row.getByText('Overdue').waitFor();

    await page.route('**/companies/overview?**', (route) => route.abort());
    await page.getByRole('searchbox').fill('noe annet');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute('**/companies/overview?**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No companies match the search or the filters.').waitFor();
    await addEquinor(visited, workspace, 'en');
  });
});
