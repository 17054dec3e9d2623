import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter as enterIn } from './enter.ts';
import { messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('what is typed into a field that is left', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  test('stays with the offer it was typed for, when the page goes on to another and saving fails', async () => {
    const workspace = await world.workspace();
    const first = await workspace.offer({ title: 'Første' });
    const second = await workspace.offer({ title: 'Andre' });
    const { page, open, go } = await enter(workspace);
    await open(`/offers/${first.id}`);
    await page.getByRole('button', { name: 'Rediger Tittel' }).waitFor();
    await go('/offers');
    await go(`/offers/${second.id}`);
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Andre, endret');
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/offers/*', async (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      await held.promise;
      return route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } });
    });
    await page.evaluate('history.go(-2)');
    await page.getByRole('heading', { name: 'Første' }).waitFor();
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
    held.resolve();
    expect((await answered).url()).toContain(second.id);
    await expect.poll(() => messages(page)).toContain('Tittel: Tjenesten er utilgjengelig');
    expect(await page.getByRole('textbox', { name: 'Tittel' }).count()).toBe(0);
  });

  test('can be saved by a message where it could not be before the field was gone', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}`);
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/companies/**', async (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      await held.promise;
      return route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } });
    });
    await page.getByRole('button', { name: /Telefon/ }).click();
    await page.getByRole('textbox', { name: 'Telefon' }).fill('33 33 33 33');
    await page.getByRole('textbox', { name: 'Nytt notat' }).fill('Ringte');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: 'Kontakter', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Kontakter' }).waitFor();
    held.resolve();
    await expect.poll(() => messages(page)).toContain('Telefon: Tjenesten er utilgjengelig');
    await expect.poll(() => messages(page)).toContain('Nytt notat: Tjenesten er utilgjengelig');
    // The note is in its form again; the number is nowhere else.
    const again = page.getByRole('button', { name: 'Lagre igjen' });
    const refused = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await again.click();
    await refused;
    await page.unroute('**/app/api/companies/**');
    await again.click();
    await expect.poll(() => messages(page)).toContain('Telefon: Lagret');
    expect((await workspace.client.get(`/companies/${orgnr}`)).body.data.phone_number).toBe('33 33 33 33');
  });

  test('is saved when a long list scrolls its row out of view', async () => {
    const workspace = await world.workspace();
    await world.query(
      `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id)
       select $1, gen_random_uuid(), 'Oppgave ' || n, now() + n * interval '1 hour', true, $2
       from generate_series(1, 90) as n`,
      [workspace.id, workspace.owner.id],
    );
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByRole('row', { name: 'Oppgave 1 ' }).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Ring Kari');
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 3_000);
    await page.getByRole('row', { name: 'Oppgave 90 ' }).waitFor();
    await page.mouse.wheel(0, -3_000);
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Hva skal gjøres' }).inputValue())
      .toBe('Ring Kari');
  });

  test('as a due date is saved when the task is collapsed; what is no date, or is lost with its task, is shown in a message', async () => {
    const workspace = await world.workspace();
    const task = await workspace.task({ title: 'Ring', due_date: '2026-01-05T12:00:00+01:00' });
    const { page, open } = await enter(workspace);
    await open('/tasks');
    await page.getByRole('row', { name: 'Ring' }).waitFor();
    await page.keyboard.press('j');
    const change = async (text: string) => {
      await page.keyboard.press('e');
      await page.getByRole('button', { name: 'Rediger Frist' }).click();
      await page.getByRole('row', { name: 'Ring' }).getByRole('textbox', { name: 'Frist' }).fill(text);
    };
    const due = async () => {
      const { due_date } = (await workspace.client.get(`/tasks/${task.id}`)).body.data;
      return Temporal.Instant.from(due_date).toZonedDateTimeISO('Europe/Oslo').toPlainDate().toString();
    };
    const collapse = page
      .getByRole('row', { name: 'Ring' })
      .getByRole('button', { name: 'Lukk', exact: true });
    await change('24.12.2031');
    await page.keyboard.press('Escape');
    await collapse.click();
    expect(await due()).toBe('2026-01-05');
    await change('24.12.2031');
    await collapse.click();
    await expect.poll(due).toBe('2031-12-24');
    await change('en gang');
    await collapse.focus();
    await page.getByRole('alert').getByText('Skriv for eksempel').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => messages(page)).toContain('Frist: Skriv for eksempel');

    await page.getByRole('row', { name: 'Ring' }).focus();
    await page.keyboard.press('e');
    await page.keyboard.type(' Kari');
    await workspace.client.patch(`/tasks/${task.id}`, { completed: true });
    await page.getByText('Ingen åpne oppgaver').waitFor();
    await expect.poll(() => messages(page)).toContain('Hva skal gjøres: Noen andre har endret dette imens');
  });

  test('is lost without a message when its task is deleted, with one when it is closed; a searched name stays until Enter can choose', async () => {
    const workspace = await world.workspace();
    const { name } = await workspace.company();
    await workspace.task({ title: 'Ring' });
    const { page, open } = await enter(workspace);
    await open('/tasks');
    const row = page.getByRole('row', { name: 'Ring' });
    const writeNoDay = async () => {
      await row.click();
      await row.getByRole('button', { name: 'Rediger Frist' }).click();
      await row.getByRole('textbox', { name: 'Frist' }).fill('en gang');
    };
    await writeNoDay();
    // The first press on deleting deletes.
    await row.getByRole('button', { name: 'Slett oppgaven' }).click();
    await row.waitFor({ state: 'detached' });
    await expect.poll(() => messages(page)).toContain('Ring');
    expect(await messages(page)).not.toContain('Frist');
    await page.getByRole('button', { name: 'Angre' }).click();
    await row.waitFor();

    await writeNoDay();
    await row.getByRole('button', { name: 'Lukk', exact: true }).click();
    await row.getByRole('textbox', { name: 'Frist' }).waitFor({ state: 'detached' });
    expect(await row.getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => messages(page)).toContain('Frist: Skriv for eksempel');

    await row.click();
    const answer = Promise.withResolvers<void>();
    await page.route(/\/app\/api\/companies[/?].*q=/, async (route) => {
      await answer.promise;
      await route.fallback();
    });
    await row.getByRole('button', { name: 'Rediger Selskap' }).click();
    const company = row.getByRole('combobox', { name: 'Selskap' });
    await company.fill(name);
    await page.keyboard.press('Enter');
    expect(await company.inputValue()).toBe(name);
    answer.resolve();
    await page.getByRole('option', { name }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await row.getByRole('button', { name: 'Rediger Selskap' }).getByText(name).waitFor();
  });
});
