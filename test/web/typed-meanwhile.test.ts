import { describe, expect, test } from 'vitest';
import { focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('what is typed while something is saved', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  test('is no conflict with what the same person is still saving', async () => {
    const workspace = await world.workspace();
    const offer = await workspace.offer({ title: 'Avtale' });
    const task = await workspace.task({ title: 'Ring' });
    const { page, open, go } = await enter(workspace);

    /** Changes the title and, before that is answered, the description. */
    async function changeBoth(title: string): Promise<void> {
      const held = Promise.withResolvers<void>();
      let isFirst = true;
      await page.route(/\/app\/api\/(offers|tasks)\/[^/]+$/, async (route) => {
        // Only the first change is held, not what is read.
        if (isFirst && route.request().method() === 'PATCH') {
          isFirst = false;
          await held.promise;
        }
        await route.continue();
      });
      const asked = page.waitForRequest((request) => request.method() === 'PATCH');
      await page.getByRole('textbox', { name: title }).fill('Ny tittel');
      await page.keyboard.press('Enter');
      await asked;
      await page.getByRole('button', { name: 'Rediger Beskrivelse' }).click();
      await page.getByRole('textbox', { name: 'Beskrivelse' }).fill('Ny beskrivelse');
      await page.keyboard.press('Control+Enter');
      await expect.poll(() => page.locator('.edit[data-state="saving"]').count()).toBe(2);
      held.resolve();
      await expect.poll(() => page.locator('.edit[data-state="saved"]').count()).toBe(2);
    }

    await open(`/offers/${offer.id}`);
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    await changeBoth('Tittel');
    await go('/tasks?who=all');
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await changeBoth('Hva skal gjøres');
    const now = { title: 'Ny tittel', description: 'Ny beskrivelse' };
    expect((await workspace.client.get(`/offers/${offer.id}`)).body.data).toMatchObject(now);
    expect((await workspace.client.get(`/tasks/${task.id}`)).body.data).toMatchObject(now);
  });

  test('can be typed into the same field, which opens once it is saved', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ title: 'Avtale', one_time_revenue: 100 });
    const saved = async () => (await workspace.client.get(`/offers/${id}`)).body.data;
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    for (const [name, values] of [
      ['Tittel', ['Avtale to', 'Avtale tre']],
      ['Engangs', ['700', '800']],
    ] as const) {
      const held = Promise.withResolvers<void>();
      await page.route(`**/app/api/offers/${id}`, async (route) => {
        if (route.request().method() === 'PATCH') await held.promise;
        await route.fallback();
      });
      const field = page.getByRole('textbox', { name });
      await page.getByRole('button', { name: `Rediger ${name}` }).click();
      await field.fill(values[0]);
      await page.keyboard.press('Enter');
      const saving = page.locator('.edit[data-state="saving"] .edit-button');
      await focusIn(saving);
      await page.keyboard.press('Enter');
      held.resolve();
      await focusIn(field);
      await page.unroute(`**/app/api/offers/${id}`);
      await field.fill(values[1]);
      await page.keyboard.press('Enter');
      await page
        .getByRole('button', { name: `Rediger ${name}` })
        .getByText(values[1])
        .waitFor();
    }
    await expect.poll(saved).toMatchObject({ title: 'Avtale tre', one_time_revenue: 800 });
  });

  test('as the next task stays while the one before is added, and its day when another list is shown', async () => {
    const workspace = await world.workspace();
    await workspace.task({ title: 'Betal', due_date: new Date(Date.now() + 86_400_000).toISOString() });
    const { page, open } = await enter(workspace);
    await open('/tasks');
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/tasks', async (route) => {
      await held.promise;
      await route.continue();
    });
    const field = page.getByRole('textbox', { name: 'Ny oppgave' });
    await field.fill('Ring');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Skriv');
    held.resolve();
    await page.getByText('Lagt til: Ring').waitFor();
    await expect.poll(() => field.inputValue()).toBe('Skriv');

    const due = page.getByRole('textbox', { name: 'Frist' });
    await due.fill('fredag');
    await page.getByRole('link', { name: 'I morgen' }).click();
    await page.waitForURL(/tab=tomorrow/);
    await expect.poll(() => due.inputValue()).toBe('fredag');
  });

  test('and chosen for the next task stays, too, and the focus in the form', async () => {
    const workspace = await world.workspace();
    const { id, name } = await workspace.company();
    const other = await workspace.company();
    const tasks = async () => (await workspace.client.get('/tasks')).body.data as { title: string }[];
    const { page, open } = await enter(workspace);
    await open('/tasks');
    let held = Promise.withResolvers<void>();
    await page.route('**/app/api/tasks', async (route) => {
      await held.promise;
      await route.continue();
    });
    const field = page.getByRole('textbox', { name: 'Ny oppgave' });
    const due = page.getByRole('textbox', { name: 'Frist' });
    const company = page.getByRole('combobox', { name: 'Selskap' });
    const choose = async (text: string) => {
      await company.fill(text);
      await page.getByRole('option', { name: text }).click();
      await expect.poll(() => company.inputValue()).toBe(text);
    };
    await field.fill('Ring i morgen');
    await choose(name);
    await field.press('Enter');
    await due.fill('fredag');
    await choose(other.name);
    held.resolve();
    await page.getByText('Lagt til: Ring').waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await due.inputValue()).toBe('fredag');
    expect(await company.inputValue()).toBe(other.name);
    expect(await tasks()).toMatchObject([{ title: 'Ring', related_company_id: id }]);

    held = Promise.withResolvers();
    held.resolve();
    await field.fill('Skriv');
    await choose(name);
    await company.press('Enter');
    await page.getByText('Lagt til: Skriv').waitFor();
    await expect.poll(() => company.inputValue()).toBe('');
    expect(await field.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
  });

  test('as the next task is there again when the page was left before the one before it was added', async () => {
    const workspace = await world.workspace();
    const { page, open, go } = await enter(workspace);
    await open('/tasks');
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/tasks', async (route) => {
      await held.promise;
      await route.continue();
    });
    const field = page.getByRole('textbox', { name: 'Ny oppgave' });
    await field.fill('Ring');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Skriv');
    await go('/shortcuts');
    held.resolve();
    await page.getByText('Lagt til: Ring').waitFor();
    await go('/tasks');
    expect(await field.inputValue()).toBe('Skriv');
  });

  test('is followed by the next choice of a status and of who has a company', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company({ status: 'prospect' });
    const company = async () => (await workspace.client.get(`/companies/${orgnr}`)).body.data;
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}`);

    /** Chooses twice, the second time before the first is answered. */
    async function chooseTwice(label: string, first: string, second: string): Promise<void> {
      const held = Promise.withResolvers<void>();
      await page.route('**/app/api/companies/*', async (route) => {
        if (route.request().method() === 'PATCH') await held.promise;
        await route.fallback();
      });
      for (const name of [first, second]) {
        await page.getByRole('button', { name: `${label}:` }).click();
        await page.getByRole('menuitemradio', { name, exact: true }).click();
        await page.getByRole('menuitemradio', { name, exact: true }).waitFor({ state: 'detached' });
      }
      held.resolve();
      await page.getByRole('button', { name: `${label}: ${second}` }).waitFor();
      await page.unroute('**/app/api/companies/*');
    }

    await chooseTwice('Status', 'Kunde', 'Lead');
    await expect.poll(async () => (await company()).status).toBe('lead');
    // What is taken back is the second choice, whose message takes the place of the first.
    await page.getByText('Status er nå Lead').waitFor();
    await page.getByRole('button', { name: 'Angre' }).last().click();
    await expect.poll(async () => (await company()).status).toBe('customer');
    await chooseTwice('Ansvarlig', 'Ola Nordmann', 'Kari Nordmann');
    await expect.poll(async () => (await company()).assigned_to).toBe(workspace.member.id);
    expect(await page.getByText('Noen andre har endret dette imens').count()).toBe(0);
  });

  test('as the company of the next task stays, and the focus in its field', async () => {
    const workspace = await world.workspace();
    const { id, name } = await workspace.company();
    const other = await workspace.company();
    const { page, open } = await enter(workspace);
    await open('/tasks');
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/tasks', async (route) => {
      await held.promise;
      await route.continue();
    });
    // An open list hides what is around it.
    const field = page.getByRole('textbox', { name: 'Ny oppgave', includeHidden: true });
    const company = page.getByRole('combobox', { name: 'Selskap' });
    await field.fill('Ring');
    await company.fill(name);
    await page.getByRole('option', { name }).click();
    await expect.poll(() => company.inputValue()).toBe(name);
    await field.press('Enter');
    await company.selectText();
    const half = other.name.slice(0, -3);
    await page.keyboard.type(half);
    held.resolve();
    await page.getByText('Lagt til: Ring').waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await company.inputValue()).toBe(half);
    await page.keyboard.type(other.name.slice(-3));
    await page.getByRole('option', { name: other.name }).click();
    await field.fill('Skriv');
    await field.press('Enter');
    await page.getByText('Lagt til: Skriv').waitFor();
    const tasks = (await workspace.client.get('/tasks')).body.data;
    expect(
      Object.fromEntries(
        tasks.map((task: Record<string, string>) => [task['title'], task['related_company_id']]),
      ),
    ).toEqual({ Ring: id, Skriv: other.id });
  });
});
