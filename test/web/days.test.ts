import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { enter } from './enter.ts';

/** Far from Oslo, and not near midnight: no day ends while a test runs. */
const [ZONE, OTHER_ZONE] = ['Pacific/Auckland', 'America/Los_Angeles', 'Asia/Tokyo'].filter((timeZone) => {
  const { hour } = Temporal.Now.zonedDateTimeISO(timeZone);
  return hour > 0 && hour < 23;
}) as [string, string];

/** An instant of a day from now in a time zone. */
function instantIn(timeZone: string, days: number, plainTime: string): string {
  const day = Temporal.Now.plainDateISO(timeZone).add({ days });
  return day.toZonedDateTime({ timeZone, plainTime }).toInstant().toString();
}

/** Somebody in Oslo looks at the tasks of a workspace elsewhere. */
describe.skipIf(CHROMIUM === undefined)('days are those of the workspace', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  // A clock that was set cannot be set back.
  const visitOnce = useBrowser({ fresh: true });

  async function workspaceIn(timeZone: string): Promise<Workspace> {
    const workspace = await world.workspace();
    await world.query('update workspaces set time_zone = $1 where id = $2', [timeZone, workspace.id]);
    return workspace;
  }

  test('in a task that is added', async () => {
    const workspace = await workspaceIn(ZONE);
    const company = await workspace.company();
    const { page, open, go } = await enter({ world, visit }, workspace);
    const dueOf = async (title: string) => {
      const { data } = (await workspace.client.get('/tasks')).body as {
        data: { title: string; due_date: string }[];
      };
      const task = data.find((one) => one.title === title);
      return task && Temporal.Instant.from(task.due_date).toZonedDateTimeISO(ZONE).toString().slice(0, 16);
    };
    await open('/tasks');
    await page.getByRole('textbox', { name: 'Ny oppgave' }).fill('Ring');
    const due = page.getByRole('textbox', { name: 'Frist' });
    await due.fill('24.12.2030');
    await page.getByText('24. des. 2030', { exact: true }).waitFor();
    await due.press('Enter');
    await expect.poll(() => page.getByRole('row', { name: 'Ring' }).innerText()).toContain('24. des. 2030');
    expect(await dueOf('Ring')).toBe('2030-12-24T12:00');

    // A day chosen from the calendar is written into the field and read again.
    const title = page.getByRole('textbox', { name: 'Ny oppgave' });
    await expect.poll(() => title.inputValue()).toBe('');
    await title.fill('Skriv');
    await due.fill('24.12.2030');
    await page.getByRole('button', { name: 'Velg dag i kalender' }).click();
    await page.getByRole('button', { name: /20\. desember 2030/ }).click();
    await page.getByRole('button', { name: 'Legg til' }).click();
    await expect.poll(() => dueOf('Skriv')).toBe('2030-12-20T12:00');

    await go(`/companies/${company.orgnr}?tab=tasks`);
    await page.getByRole('button', { name: 'Ny oppgave' }).click();
    await page.getByRole('textbox', { name: 'Hva skal gjøres' }).fill('Besøk');
    await page.getByRole('button', { name: 'Legg til', exact: true }).click();
    await page.getByRole('row', { name: /Besøk.*i dag/ }).waitFor();
    const today = Temporal.Now.plainDateISO(ZONE).toString();
    expect(await dueOf('Besøk')).toBe(`${today}T12:00`);
  });

  test.each([ZONE, OTHER_ZONE])('wherever a task without a time is shown, in %s', async (timeZone) => {
    const workspace = await workspaceIn(timeZone);
    const company = await workspace.company();
    await workspace.offer({ company_id: company.id });
    const contact = await workspace.contact();
    await workspace.client.post(`/contacts/${contact.id}/companies`, { company_id: company.id, role: '' });
    const more = { related_company_id: company.id, has_time_specified: false };
    // Nearly another day there, and another one in Oslo or in Greenwich.
    for (const [title, time] of [
      ['Tidlig', '00:10'],
      ['Sent', '23:50'],
    ]) {
      await workspace.task({ title, due_date: instantIn(timeZone, 0, time!), ...more });
    }
    const { page, open, go } = await enter({ world, visit }, workspace);
    for (const path of ['/', '/tasks', `/companies/${company.orgnr}?tab=tasks`]) {
      await (path === '/' ? open(path) : go(path));
      await expect.poll(() => page.locator('.task-time').allInnerTexts()).toEqual(['i dag', 'i dag']);
    }
    await page.getByText(', 2 forfalt eller i dag').waitFor({ state: 'attached' });
    await go('/companies');
    await page.getByRole('row', { name: /i dag/ }).waitFor();
    await go(`/contacts/${contact.id}`);
    await page.getByText(`i dag · ${company.name}`).first().waitFor();
    await expect.poll(() => page.getByText(`i dag · ${company.name}`).count()).toBe(2);
    await go('/search?q=sent');
    await page.getByText(`i dag · ${company.name}`).waitFor();
    await go('/offers');
    const next = page.locator('.offer-card-task');
    await expect.poll(() => next.innerText()).toContain('i dag · Tidlig');
    expect(await next.getAttribute('title')).not.toContain('kl.');
  });

  test.each(['/', '/tasks'])('and on %s the next day begins without being asked', async (path) => {
    const workspace = await workspaceIn(ZONE);
    await workspace.company();
    await workspace.task({ title: 'Ring', due_date: instantIn(ZONE, 0, '12:00') });
    const { page, open } = await enter({ world, visit: visitOnce }, workspace);
    let asked = 0;
    await page.route('**/app/api/tasks/groups*', (route) => {
      asked += 1;
      return route.fallback();
    });
    await page.clock.install({ time: Date.now() });
    await open(path);
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    const before = asked;
    const midnight = Date.parse(instantIn(ZONE, 1, '00:00'));
    await page.clock.fastForward(midnight - Date.now());
    await expect.poll(() => asked).toBeGreaterThan(before);
    // By the service's clock the day has not ended, so the page asks again, however late the first answer comes.
    const then = asked;
    const later = async () => {
      await page.clock.fastForward(60_000);
      return asked;
    };
    await expect.poll(later).toBeGreaterThan(then);
  });

  test('and times relative to now stay right while a page is left open', async () => {
    const workspace = await workspaceIn(ZONE);
    const { orgnr, id, name } = await workspace.company();
    await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Møte' });
    await workspace.task({ related_company_id: id, due_date: instantIn(ZONE, 1, '12:00') });
    const { page, open, go } = await enter({ world, visit: visitOnce }, workspace);
    await page.clock.install({ time: Date.now() });
    await open(`/companies/${orgnr}`);
    const note = page.getByRole('listitem').filter({ hasText: 'Møte' });
    await expect.poll(() => note.innerText()).toMatch(/ nå\s|1 minutt siden/);
    await page.clock.fastForward(5 * 60_000);
    await expect.poll(() => note.innerText()).toMatch(/[56] minutter siden/);
    await go('/companies');
    const row = page.getByRole('row', { name });
    await expect.poll(() => row.innerText()).toContain('i morgen');
    await page.clock.fastForward(Date.parse(instantIn(ZONE, 1, '00:01')) - Date.now());
    await expect.poll(() => row.innerText()).toContain('i dag');
  });

  test('and on the cards of the board', async () => {
    const workspace = await workspaceIn(ZONE);
    const company = await workspace.company();
    await workspace.offer({ company_id: company.id });
    const due_date = instantIn(ZONE, 1, '12:00');
    await workspace.task({ title: 'Ring', related_company_id: company.id, due_date });
    const { page, open } = await enter({ world, visit: visitOnce }, workspace);
    await page.clock.install({ time: Date.now() });
    await open('/offers');
    const next = page.locator('.offer-card-task');
    await expect.poll(() => next.innerText()).toContain('i morgen, 12:00 · Ring');
    await page.clock.fastForward(Date.parse(instantIn(ZONE, 1, '00:01')) - Date.now());
    await expect.poll(() => next.innerText()).not.toContain('i morgen');
    await page.clock.fastForward(24 * 3_600_000);
    await expect.poll(() => next.innerText()).toContain('Forfalt');
  });
});
