import { describe, expect, test } from 'vitest';
import { axe, useBrowser, type Screen } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { dated, noonIn } from './due-days.ts';
import { enterAs, focused } from './signed-in.ts';

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe.skipIf(CHROMIUM === undefined)('tasks', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function enter(workspace: Workspace, options: { screen?: Screen; person?: Workspace['owner'] } = {}) {
    const { person, ...rest } = options;
    const prepare = await enterAs(workspace, world.origin, person);
    return visit(world.origin, { ...rest, prepare });
  }

  test('are added, completed and brought back by keyboard alone', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    await dated(workspace, 'Send tilbud', -3, { related_company_id: company.id });
    await dated(workspace, 'Ring om fornyelse', 0);
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByRole('row', { name: 'Send tilbud' }).waitFor();
    await expect
      .poll(() => page.getByRole('row').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Forfalt\s1$/),
        expect.stringContaining('for 3 dager siden'),
        expect.stringMatching(/^I dag\s1$/),
        expect.stringContaining('Ring om fornyelse'),
      ]);
    await page
      .getByRole('link', { name: /Oppgaver/ })
      .getByText('2', { exact: true })
      .waitFor();

    await page.keyboard.press('n');
    await page.keyboard.type('Avtal møte');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('i morgen kl. 9');
    await page.keyboard.press('Enter');
    await page.getByText('Lagt til: Avtal møte').waitFor();
    const added = page.getByRole('row', { name: 'Avtal møte' });
    await expect.poll(() => added.innerText()).toContain('i morgen 09:00');

    await page.getByRole('textbox', { name: 'Ny oppgave' }).focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toContain('Ring om fornyelse');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.getByText('Fullført: Send tilbud').waitFor();
    // The next task has taken its place, and the focus.
    await expect.poll(() => focused(page)).toContain('Ring om fornyelse');
    await page.getByRole('button', { name: 'Angre' }).last().press('Enter');
    await page.getByRole('row', { name: 'Send tilbud' }).waitFor();
    await expect
      .poll(async () => (await workspace.client.get('/tasks?completed=true')).body.data)
      .toEqual([]);
  });

  test('are moved, given to somebody and deleted by keys, each with undo', async () => {
    const workspace = await world.workspace();
    const task = await dated(workspace, 'Ring', 0);
    const now = async () => (await workspace.client.get(`/tasks/${task.id}`)).body.data;
    const { page, open } = await enter(workspace);
    await open('/tasks?who=all');
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.getByRole('menuitem', { name: 'I morgen' }).click();
    await expect.poll(async () => (await now()).due_date.slice(0, 10)).toBe(noonIn(1).slice(0, 10));
    await expect.poll(async () => (await now()).has_time_specified).toBe(false);

    await page.getByRole('row', { name: 'Ring' }).focus();
    await page.keyboard.press('a');
    await page.getByRole('menuitemradio', { name: 'Kari Nordmann' }).click();
    await page.getByText('Gitt til Kari Nordmann').waitFor();
    await expect.poll(async () => (await now()).user_id).toBe(workspace.member.id);

    await page.getByRole('row', { name: 'Ring' }).focus();
    await page.keyboard.press('Delete');
    await page.getByText('Slettet: Ring').waitFor();
    await page.getByText('Ingen åpne oppgaver').waitFor();
    await expect.poll(() => focused(page)).toBe('Oppgaver');
    await page.getByRole('button', { name: 'Angre' }).last().click();
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await expect.poll(async () => (await now()).user_id).toBe(workspace.member.id);
  });

  test('axe objects to nothing, wide and on a phone', async () => {
    const workspace = await world.workspace();
    const { page, open, show } = await enter(workspace, { screen: 'phone' });
    const look = async () => {
      for (const screen of ['wide', 'phone'] as const) {
        await show(screen);
        expect([screen, await axe(page)]).toEqual([screen, []]);
        await expect.poll(() => page.evaluate(overflow)).toBe(0);
      }
    };
    await open('/tasks');
    await page.getByText('Ingen åpne oppgaver').waitFor();
    await look();
    const company = await workspace.company();
    await dated(workspace, 'Å'.repeat(255), -1, { related_company_id: company.id });
    await Promise.all(Array.from({ length: 12 }, (_, days) => dated(workspace, `Oppgave ${days}`, days)));
    // Shows what others did without being asked.
    await page.getByRole('row', { name: 'Oppgave 11' }).waitFor();
    await look();
    await page.getByText('Oppgave 1', { exact: true }).tap();
    await page.getByRole('button', { name: 'Slett oppgaven' }).waitFor();
    await look();
  });

  test('speaks English, lists what is done, and says what failed', async () => {
    const workspace = await world.workspace();
    await world.query("update users set language = 'en' where id = $1", [workspace.owner.id]);
    await dated(workspace, 'Call', 0);
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByRole('checkbox', { name: 'Complete Call' }).click();
    await page.getByText('Completed: Call').waitFor();
    await page.getByRole('link', { name: 'Done' }).click();
    await page.getByRole('checkbox', { name: 'Reopen Call' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=done');
    await page.getByRole('button', { name: 'More actions' }).click();
    const file = page.getByRole('menuitem', { name: 'Export as CSV' });
    const address = await file.getAttribute('href');
    expect(address).toMatch(/completed=true&sort=-updated_at/);
    expect(address).toContain(`workspace=${workspace.id}`);
    await page.keyboard.press('Escape');

    await page.route('**/app/api/tasks/rows*', (route) => route.fulfill({ status: 404, json: {} }));
    await open('/tasks');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.unroute('**/app/api/tasks/rows*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No open tasks').waitFor();
  });

  test('of thousands only those in view exist, and scrolling reads on', async () => {
    const workspace = await world.workspace();
    await world.query(
      `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id)
       select $1, gen_random_uuid(), 'Oppgave ' || n, now() + n * interval '1 hour', true, $2
       from generate_series(1, 1500) as n`,
      [workspace.id, workspace.owner.id],
    );
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByRole('row', { name: 'Oppgave 1 ' }).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toContain('Oppgave 100');
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    // Until the next ones are read, the last one keeps the focus.
    const down = async () => {
      await page.keyboard.press('ArrowDown');
      return focused(page);
    };
    await expect.poll(down).toMatch(/^Oppgave 10[1-9]\b/);
  });
});
