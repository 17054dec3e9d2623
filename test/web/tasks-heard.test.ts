import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { noonIn } from './due-days.ts';
import { enter } from './enter.ts';
import { focused } from './signed-in.ts';

async function withTasks(workspace: Workspace) {
  const company = await workspace.company();
  const more = { has_time_specified: false, related_company_id: company.id };
  await workspace.task({ title: 'Send tilbud', due_date: noonIn(-1), ...more });
  await workspace.task({ title: 'Ring Per', due_date: noonIn(0), ...more });
  return company;
}

describe.skipIf(CHROMIUM === undefined)('to a screen reader', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('a task is said once, in its list and at home, and groups are headings', async () => {
    const workspace = await world.workspace();
    const { name } = await withTasks(workspace);
    const { page, open, go } = await enter({ world, visit }, workspace);
    const row = (...cells: string[]) => page.getByRole('row', { name: cells.join(' '), exact: true });
    for (const path of ['/tasks', '/']) {
      await (path === '/' ? go(path) : open(path));
      // The row that has the focus has buttons where the others have text; at home all tasks are one's own.
      const first = row(
        'Send tilbud',
        name,
        'Frist: i går',
        ...(path === '/' ? [] : ['Ansvarlig: Ola Nordmann']),
      );
      await first.waitFor();
      await row('Ring Per', name, 'i dag', ...(path === '/' ? [] : ['Ola Nordmann'])).waitFor();
      await page.getByRole('checkbox', { name: 'Fullfør Ring Per', exact: true }).waitFor();
      const level = path === '/' ? 3 : 2;
      for (const group of ['Forfalt 1', 'I dag 1']) {
        await page.getByRole('heading', { name: group, exact: true, level }).waitFor();
        await page.getByRole('row', { name: group, exact: true }).waitFor();
      }
      expect(await axe(page)).toEqual([]);

      // While it is open for editing, the row is called by its title.
      await first.press('Enter');
      await page.getByRole('row', { name: 'Send tilbud', exact: true }).waitFor();
    }
  });

  test('the heading of each group is there, however many tasks are above it', async () => {
    const workspace = await world.workspace();
    await world.query(
      `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id)
       select $1, gen_random_uuid(), 'Oppgave ' || n, $3::timestamptz + n * interval '1 minute', false, $2
       from generate_series(1, 80) as n`,
      [workspace.id, workspace.owner.id, noonIn(-1)],
    );
    await workspace.task({ title: 'Ring Per', due_date: noonIn(0) });
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/tasks');
    const today = page.getByRole('heading', { name: 'I dag 1', exact: true });
    await today.waitFor();
    expect(await page.getByRole('row', { name: 'Ring Per' }).count()).toBe(0);
    await today.scrollIntoViewIfNeeded();
    await page.getByRole('row', { name: 'Ring Per' }).waitFor();
  });

  test('a task moved to another day is in the group of that day at once', async () => {
    const workspace = await world.workspace();
    for (const title of ['Første', 'Andre', 'Tredje']) {
      await workspace.task({ title, due_date: noonIn(-2), has_time_specified: false });
    }
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/tasks');
    await page.getByRole('row', { name: 'Forfalt 3' }).waitFor();
    // The list is not answered from here on.
    await page.route('**/app/api/tasks/rows*', () => undefined);
    await page.getByRole('row').nth(2).focus();
    const moved = (await focused(page)).split('\n')[0]!;
    await page.keyboard.press('d');
    await page.getByRole('menuitem', { name: 'I morgen' }).press('Enter');
    await expect
      .poll(() => page.getByRole('row').allInnerTexts())
      .toEqual([
        expect.stringContaining('Forfalt'),
        expect.anything(),
        expect.anything(),
        expect.stringContaining('I morgen'),
        expect.stringContaining(moved),
      ]);
  });
});
