import { describe, expect, test } from 'vitest';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

type Task = { title: string; due_date: string; has_time_specified: boolean };

/** Today's date where the workspaces are. */
const today = () => Temporal.Now.plainDateISO('Europe/Oslo');

/** The day and the time of a day from now where the workspaces are, whether or not a day ends between this and that. */
function startDays(): (days: number, time: string) => unknown {
  const first = today();
  return (days, time) =>
    expect.toBeOneOf([first, today()].map((day) => `${day.add({ days }).toString()}T${time}`));
}

function isoOf({ due_date: due }: Task): string {
  return Temporal.Instant.from(due).toZonedDateTimeISO('Europe/Oslo').toString().slice(0, 16);
}

describe.skipIf(CHROMIUM === undefined)('a new task', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test.each([
    ['nb', 'Ring Kari', 'i morgen kl. 9', 'Frist', 'Ny oppgave'],
    ['en', 'Call Kari', 'tomorrow at 9', 'Due', 'New task'],
  ] as const)('is written in one line, in %s: %s %s', async (language, title, when, due, label) => {
    const on = startDays();
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace, { language });
    const tasks = async () => (await workspace.client.get('/tasks')).body.data as Task[];
    await open('/tasks');
    await page.getByText(language === 'nb' ? 'Ingen åpne oppgaver' : 'No open tasks').waitFor();
    await page.keyboard.press('n');
    const field = page.getByRole('textbox', { name: label });
    const dueField = page.getByRole('textbox', { name: due });
    await page.keyboard.type(`${title} ${when}`);
    await expect.poll(() => dueField.inputValue()).toMatch(/ 09:00$/);
    await page.getByRole('status').filter({ hasText: when }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: title }).waitFor();
    const [added] = await tasks();
    expect([added!.title, isoOf(added!), added!.has_time_specified]).toEqual([title, on(1, '09:00'), true]);
    await expect.poll(() => field.inputValue()).toBe('');
  });

  test('keeps in its title what the person wants there, and gives way to the due field', async () => {
    const on = startDays();
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace, { screen: 'phone' });
    const titles = async () =>
      ((await workspace.client.get('/tasks?sort=due_date')).body.data as Task[]).map((task) => [
        task.title,
        isoOf(task),
      ]);
    await open('/tasks');
    const field = page.getByRole('textbox', { name: 'Ny oppgave' });
    const dueField = page.getByRole('textbox', { name: 'Frist' });
    await field.fill('Planlegg i morgen');
    await expect.poll(() => dueField.inputValue()).not.toBe('i dag');
    await field.press('Escape');
    await expect.poll(() => dueField.inputValue()).toBe('i dag');
    await field.press('Enter');
    await expect.poll(titles).toEqual([['Planlegg i morgen', on(0, '12:00')]]);

    await expect.poll(() => field.inputValue()).toBe('');
    await field.fill('Forbered i morgen');
    await page.getByRole('button', { name: 'Behold i tittelen' }).tap();
    await expect.poll(() => dueField.inputValue()).toBe('i dag');
    await expect.poll(() => field.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    await field.fill('');

    await field.fill('Ring i morgen');
    await expect.poll(() => dueField.inputValue()).not.toBe('i dag');
    await dueField.fill('i overmorgen');
    await expect.poll(() => field.inputValue()).toBe('Ring');
    await dueField.press('Enter');
    await expect.poll(titles).toContainEqual(['Ring', on(2, '12:00')]);
  });

  test('of a company is written in one line, too', async () => {
    const on = startDays();
    const workspace = await world.workspace();
    const company = await workspace.company();
    const { page, open } = await enter({ world, visit }, workspace);
    await open(`/companies/${company.orgnr}?tab=tasks`);
    await page.getByRole('button', { name: 'Ny oppgave' }).press('Enter');
    const field = page.getByRole('textbox', { name: 'Hva skal gjøres' });
    await field.fill('Planlegg i morgen');
    await page.getByText('«i morgen» blir frist.').waitFor();
    expect(await axe(page)).toEqual([]);
    await field.press('Escape');
    await expect.poll(() => page.getByText('blir frist').count()).toBe(0);
    const due = page.getByRole('textbox', { name: 'Frist' });
    await due.fill('snart');
    await due.press('Enter');
    await page.getByText('Skriv for eksempel').waitFor();
    await due.fill('i dag');
    await field.fill('');
    await field.fill('Ring Kari i morgen kl. 9');
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/tasks', async (route) => {
      await held.promise;
      await route.fallback();
    });
    await field.press('Enter');
    await page.getByRole('button', { name: 'Behold i tittelen', disabled: true }).waitFor();
    held.resolve();
    await page.getByRole('row', { name: 'Ring Kari' }).waitFor();
    const [added] = (await workspace.client.get('/tasks')).body.data as Task[];
    expect([added!.title, isoOf(added!)]).toEqual(['Ring Kari', on(1, '09:00')]);
  });

  test('shows the calendar and the day chosen there before its title is typed', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/tasks');
    const due = page.getByRole('textbox', { name: 'Frist' });
    const calendar = page.getByRole('button', { name: 'Velg dag i kalender' });
    const has = (locator: typeof calendar) => locator.evaluate((it) => it === it.ownerDocument.activeElement);
    await page.getByRole('textbox', { name: 'Ny oppgave' }).focus();
    await calendar.click();
    await page.getByRole('grid').waitFor();
    expect(await due.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => has(calendar)).toBe(true);
    await calendar.press('Enter');
    await focusIn(page.getByRole('grid'));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => has(calendar)).toBe(true);
    const chosen = await due.inputValue();
    expect(chosen).not.toBe('i dag');
    await page.getByRole('heading', { name: 'Oppgaver' }).click();
    expect(await due.isVisible()).toBe(true);
    await due.fill('i dag');
    await page.getByRole('heading', { name: 'Oppgaver' }).click();
    await expect.poll(() => due.isVisible()).toBe(false);
  });
});
