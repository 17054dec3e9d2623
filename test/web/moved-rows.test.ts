import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enterAs, focused } from './signed-in.ts';

function due(day: string) {
  return { due_date: `${day}T10:00:00.000Z`, has_time_specified: true };
}

describe.skipIf(CHROMIUM === undefined)('keys in a list', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('act on the row that has the focus, when others have moved it', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    const task = await workspace.task({ title: 'Ring', ...due('2026-01-05') });
    const other = await workspace.task({ title: 'Skriv', ...due('2026-01-06') });
    const prepare = await enterAs(workspace, world.origin);
    const { page, open, go } = await visit(world.origin, { prepare });
    await open('/tasks');
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toContain('Skriv');
    const first = await workspace.task({ title: 'Betal', ...due('2026-01-04') });
    await page.getByRole('row', { name: 'Betal' }).waitFor();
    expect(await focused(page)).toContain('Skriv');
    await page.keyboard.press('x');
    await page.getByText('Fullført: Skriv').waitFor();
    const isDone = async ({ id }: { id: string }) =>
      (await workspace.client.get(`/tasks/${id}`)).body.data.completed;
    expect(await Promise.all([first, task, other].map(isDone))).toEqual([false, false, true]);

    // So do keys at home, and in tables.
    await go('/');
    await page.getByRole('row', { name: 'Ring' }).focus();
    await workspace.task({ title: 'Husk', ...due('2026-01-03') });
    await page.getByRole('row', { name: 'Husk' }).waitFor();
    await page.keyboard.press('x');
    await page.getByText('Fullført: Ring').waitFor();

    const { id } = await workspace.contact({ name: 'Kari' });
    await workspace.contact({ name: 'Ola' });
    await go('/contacts');
    await page.getByRole('row', { name: 'Kari' }).focus();
    await workspace.contact({ name: 'Anne' });
    await page.getByRole('row', { name: 'Anne' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/contacts/${id}`);
  });

  test('that are held down delete and complete one task alone', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    for (const title of ['En', 'To', 'Tre', 'Fire']) await workspace.task({ title });
    const open = async () => (await workspace.client.get('/tasks?completed=false')).body.data.length;
    const prepare = await enterAs(workspace, world.origin);
    const { page, open: visitPage, go } = await visit(world.origin, { prepare });
    await visitPage('/tasks');
    await page.getByRole('row', { name: 'Fire' }).waitFor();

    async function hold(key: string): Promise<void> {
      const gone = page.waitForResponse((response) => /PATCH|DELETE/.test(response.request().method()));
      await page.keyboard.down(key);
      await gone;
      await expect.poll(() => focused(page)).not.toBe('');
      await page.keyboard.down(key);
      await page.keyboard.up(key);
    }

    await page.keyboard.press('j');
    await hold('Delete');
    await expect.poll(() => page.locator('.toast').count()).toBe(1);
    await go('/');
    await page.locator('[data-task]').first().focus();
    await hold('x');
    await expect.poll(() => page.locator('.toast').count()).toBe(2);
    expect(await open()).toBe(2);
  });
});
