import { describe, expect, test } from 'vitest';
import type { Page, Route } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter as enterIn } from './enter.ts';
import { loseAnswer, pressUntilTaken } from './lose-answer.ts';
import { messages } from './offer-board.ts';

/** Sends a form whose answer is lost. */
async function sendInVain(page: Page, path: string): Promise<void> {
  const lost = await loseAnswer(page, path);
  await page.getByRole('button', { name: 'Legg til', exact: true }).click();
  await expect.poll(() => lost.isLost).toBe(true);
  await page.locator('.form-problem').getByText('Får ikke kontakt').waitFor();
}

async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).fill(name);
  await page.getByRole('option', { name }).click();
}

describe.skipIf(CHROMIUM === undefined)('what was added by a write whose answer was lost', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  test.each([
    ['is as it was', ''],
    ['was corrected', '24.12.2031'],
  ])('and deleted since is added again, where the form %s', async (_what, due) => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    const stored = async () => (await workspace.client.get('/tasks')).body.data;
    await open('/tasks');
    await page.getByText('Ingen åpne oppgaver').waitFor();
    const task = page.getByRole('textbox', { name: 'Ny oppgave' });
    await task.fill('Ring Kari');
    await loseAnswer(page, '**/app/api/tasks');
    await task.press('Enter');
    await expect.poll(() => messages(page)).toContain('Får ikke kontakt');
    const [{ id }] = await stored();
    await (await workspace.signIn()).delete(`/tasks/${id}`);
    if (due !== '') await page.getByRole('textbox', { name: 'Frist' }).fill(due);
    await pressUntilTaken(task);
    expect(await stored()).toMatchObject([{ title: 'Ring Kari' }]);
    await page.locator('.toast', { hasText: 'Lagt til: Ring Kari' }).getByText('Angre').click();
    await expect.poll(stored).toEqual([]);
  });

  test('has the amount that was sent last, also where it was changed and changed back', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    const stored = async () => (await workspace.client.get('/offers')).body.data;
    await open(`/companies/${orgnr}?tab=offers`);
    await page.getByRole('button', { name: 'Nytt tilbud' }).click();
    await page.getByRole('textbox', { name: 'Hva tilbudet gjelder' }).fill('Drift');
    const amount = page.getByRole('textbox', { name: 'Engangsbeløp' });
    await amount.fill('100000');
    await sendInVain(page, '**/app/api/offers');
    await amount.fill('200000');
    await sendInVain(page, '**/app/api/offers/*');
    expect(await stored()).toMatchObject([{ one_time_revenue: 200_000 }]);
    await amount.fill('100000');
    await amount.press('Enter');
    await amount.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject([{ one_time_revenue: 100_000 }]);
  });

  test.each(['company', 'contact'] as const)(
    'is one link of a contact to a company, with the role that was sent last: from the %s',
    async (from) => {
      const workspace = await world.workspace();
      const company = await workspace.company();
      const contact = await workspace.contact({ name: 'Kari Nordmann' });
      const roles = async () => {
        const links = (await workspace.client.get(`/contacts/${contact.id}/companies`)).body.data;
        return links.map((link: { role: string }) => link.role);
      };
      const { page, open } = await enter(workspace);
      if (from === 'company') {
        await open(`/companies/${company.orgnr}?tab=contacts`);
        await page.getByRole('button', { name: 'Knytt til en kontakt' }).click();
        await choose(page, 'Kontakt', 'Kari Nordmann');
      } else {
        await open(`/contacts/${contact.id}`);
        await page.getByRole('button', { name: 'Knytt til et selskap' }).click();
        await choose(page, 'Selskap', company.name);
      }
      const role = page.getByRole('textbox', { name: 'Rolle' });
      await role.fill('Innkjøper');
      await sendInVain(page, '**/contacts/*/companies');
      await role.fill('Daglig leder');
      await sendInVain(page, '**/contacts/*/companies/*');
      expect(await roles()).toEqual(['Daglig leder']);
      await role.fill('Innkjøper');
      await role.press('Enter');
      await role.waitFor({ state: 'detached' });
      expect(await roles()).toEqual(['Innkjøper']);
    },
  );

  test('is one detail of a contact as it was sent last, and none that was there before', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const path = `/contacts/${id}/points`;
    const stored = async () => (await workspace.client.get(path)).body.data;
    const earlier = (await workspace.client.post(path, { type: 'email', value: 'kari@example.no' })).body
      .data;
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Legg til e-post' }).click();
    const value = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    await value.fill('kari@example.no');
    await sendInVain(page, '**/points');
    await value.fill('kari@example.com');
    await value.press('Enter');
    await value.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject([earlier, { value: 'kari@example.com' }]);
  });

  test.each([
    [
      'was refused',
      (route: Route) =>
        route.fulfill({ status: 503, json: { error: 'Busy', code: 'temporarily_unavailable' } }),
    ],
    ['did not arrive', (route: Route) => route.abort()],
  ])('is no detail that was there before, where the first try %s', async (_what, fail) => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const path = `/contacts/${id}/points`;
    const detail = { type: 'email', value: 'kari@example.no', label: '' };
    const earlier = (await workspace.client.post(path, detail)).body.data;
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Legg til e-post' }).click();
    const value = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    await value.fill('kari@example.no');
    await page.route('**/points', (route) =>
      route.request().method() === 'POST' ? fail(route) : route.fallback(),
    );
    await value.press('Enter');
    await page.locator('.form-problem').waitFor();
    await page.unroute('**/points');
    await value.fill('kari@example.com');
    await value.press('Enter');
    await value.waitFor({ state: 'detached' });
    expect((await workspace.client.get(path)).body.data).toMatchObject([
      earlier,
      { value: 'kari@example.com' },
    ]);
  });

  test('leaves a contact with the company that was chosen last, or with none', async () => {
    const workspace = await world.workspace();
    const [first, second] = [await workspace.company(), await workspace.company()];
    const { page, open } = await enter(workspace);
    const dialog = page.getByRole('dialog');
    const create = dialog.getByRole('button', { name: 'Opprett' });
    const company = page.getByRole('combobox', { name: 'Selskap' });
    const links = async () => {
      const { data } = (await workspace.client.get('/contacts?include=links')).body;
      return data[0].links.map(({ company_id }: { company_id: string }) => company_id);
    };
    await open('/contacts');
    await page.getByRole('button', { name: 'Ny kontakt' }).first().click();
    await page.getByRole('textbox', { name: 'Navn' }).fill('Kari Nordmann');
    for (const { id, name } of [first, second, first]) {
      await choose(page, 'Selskap', name);
      const lost = await loseAnswer(page, '**/contacts/*/companies');
      await create.click();
      await expect.poll(() => lost.isLost).toBe(true);
      await dialog.getByText('Får ikke kontakt').waitFor();
      expect(await links()).toEqual([id]);
    }
    await company.fill('');
    await company.press('Tab');
    await create.click();
    await dialog.waitFor({ state: 'detached' });
    expect(await links()).toEqual([]);
  });
});
