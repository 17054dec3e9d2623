import { describe, expect, test } from 'vitest';
import { axe, useBrowser, type Screen } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';
import { enterAs } from './signed-in.ts';

describe.skipIf(CHROMIUM === undefined)('home', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function enter(workspace: Workspace, options: { screen?: Screen; person?: Workspace['owner'] } = {}) {
    const { person, ...rest } = options;
    const prepare = await enterAs(workspace, world.origin, person);
    return visit(world.origin, { ...rest, prepare });
  }

  test.each([
    ['wide', 'nb'],
    ['phone', 'en'],
  ] as const)('shows what needs me, what waits and what happened, %s in %s', async (screen, language) => {
    const workspace = await world.workspace();
    await world.query('update users set language = $2 where id = $1', [workspace.owner.id, language]);
    const company = await workspace.company();
    const offer = await workspace.offer({
      company_id: company.id,
      title: 'Driftsavtale',
      status: 'sent',
      one_time_revenue: 9_007_199_254_740_991,
    });
    // At noon: where clocks have changed since, 24 hours are not always the day before.
    await world.query(
      `update offers set status_since = ((now() at time zone 'Europe/Oslo')::date - interval '9 days' + interval '12 hours')
         at time zone 'Europe/Oslo' where id = $1`,
      [offer.id],
    );
    await workspace.task({ title: 'Ring', related_company_id: company.id });
    const kari = await workspace.signIn(workspace.member);
    await kari.patch(`/companies/${company.orgnr}`, { status: 'customer', assigned_to: workspace.member.id });
    await kari.patch(`/offers/${offer.id}`, { user_id: workspace.member.id });

    const { page, open } = await enter(workspace, { screen });
    await open('/');
    const told =
      language === 'nb'
        ? ['satte status til kunde', 'tok ansvaret for selskapet', 'tok over tilbudet «Driftsavtale»']
        : ['set the status to customer', 'took over the company', 'took over the offer “Driftsavtale”'];
    let line = page.getByRole('listitem').filter({ hasText: 'Kari Nordmann' });
    for (const hasText of told) line = line.filter({ hasText });
    await line.waitFor();
    const waited = language === 'nb' ? 'Sendt · 9 dager' : 'Sent · 9 days';
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Driftsavtale' })
      .filter({ hasText: waited })
      .waitFor();
    expect(await axe(page)).toEqual([]);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await expect.poll(() => page.evaluate(overflow)).toBe(0);

    await page.getByRole('checkbox').click();
    const nothing = language === 'nb' ? 'Ingenting er forfalt' : 'Nothing is overdue';
    await page.getByText(nothing).waitFor();
    await page.getByRole('button', { name: language === 'nb' ? 'Angre' : 'Undo' }).click();
    await page.getByRole('checkbox').waitFor();
  });

  test.each(['wide', 'phone'] as const)(
    'the full time of what happened is read without a mouse, %s',
    async (screen) => {
      const workspace = await world.workspace();
      await workspace.company();
      await workspace.contact();
      const { page, open } = await enter(workspace, { screen });
      await open('/');
      const times = page.getByRole('region', { name: 'Siste hendelser' }).getByRole('note');
      await expect.poll(() => times.count()).toBe(2);
      expect(await axe(page)).toEqual([]);
      if (screen === 'phone') {
        await times.last().tap();
      } else {
        // One stop of Tab, and the arrows from there.
        await times.first().focus();
        await page.keyboard.press('ArrowDown');
      }
      expect(await page.getByRole('tooltip').innerText()).toMatch(/\d{4} kl\. \d\d:\d\d$/);
      const described =
        'document.getElementById(document.activeElement.getAttribute("aria-describedby")).innerText';
      expect(await page.evaluate(described)).toBe(await page.getByRole('tooltip').innerText());
      await page.getByRole('heading', { name: 'Hjem' }).click();
      await page.getByRole('tooltip').waitFor({ state: 'detached' });
    },
  );

  test('a part that cannot be loaded says so and can be tried again, the rest stays', async () => {
    const workspace = await world.workspace();
    await workspace.company();
    const { page, open } = await enter(workspace);
    await page.route('**/app/api/activity*', (route) => route.fulfill({ status: 404, json: {} }));
    await page.route('**/app/api/tasks/groups*', (route) => route.fulfill({ status: 404, json: {} }));
    await open('/');
    await page.getByText('Ingen åpne tilbud').waitFor();
    const tryAgain = (title: string) =>
      page.getByRole('region', { name: title }).getByRole('button', { name: 'Prøv igjen' });
    await tryAgain('Oppgavene dine').waitFor();
    await tryAgain('Siste hendelser').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.unroute('**/app/api/activity*');
    await tryAgain('Siste hendelser').click();
    await page.getByText('la til selskapet').waitFor();
    await page.unroute('**/app/api/tasks/groups*');
    await tryAgain('Oppgavene dine').click();
    await page.getByText('Ingenting er forfalt').waitFor();
  });

  test('says both amounts of an offer, a link of a contact, and who has left', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const contact = await workspace.contact();
    await workspace.client.post(`/contacts/${contact.id}/companies`, { company_id: company.id, role: '' });
    const amounts = { one_time_revenue: 1000, recurring_revenue: 20_000, recurring_frequency: 'monthly' };
    const { id } = await workspace.offer({ ...amounts, company_id: company.id });
    const ola = await workspace.signIn(workspace.owner);
    await ola.patch(`/offers/${id}`, { status: 'negotiating' });
    await ola.patch(`/companies/${company.orgnr}`, { assigned_to: workspace.member.id });
    const { page, open } = await enter(workspace);
    // As if the member had been removed.
    await page.route('**/app/api/users?*', async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as { data: { id: string }[] };
      await route.fulfill({
        response,
        json: { ...rest, data: data.filter((one) => one.id !== workspace.member.id) },
      });
    });
    await open('/');
    const offer = page.getByRole('region', { name: 'Tilbud' }).getByRole('listitem');
    await expect.poll(() => offer.innerText()).toMatch(/1\s000\skr[^]*20\s000\skr\/md\./);
    const lately = page.getByRole('region', { name: 'Siste hendelser' });
    await expect.poll(() => lately.innerText()).toContain('knyttet kontakten til et selskap');
    await expect
      .poll(() => lately.innerText())
      .toContain('ga ansvaret for selskapet til et tidligere medlem');
    expect(await lately.innerText()).toContain('flyttet tilbudet «Avtale» til «I forhandling»');
  });

  test('counts what is not shown, also while a task is being completed', async () => {
    const workspace = await world.workspace();
    for (let number = 10; number < 14; number++) {
      await workspace.task({ title: `Ring ${number}`, due_date: `2026-01-${number}T11:00:00Z` });
    }
    const { page, open } = await enter(workspace);
    await open('/');
    const header = page.getByRole('region', { name: 'Oppgavene dine' }).getByRole('link').first();
    // The changes are not answered.
    await page.route('**/app/api/tasks/*', (route) =>
      route.request().method() === 'PATCH' ? undefined : route.fallback(),
    );
    const tick = async (number: number) => {
      await page.getByRole('checkbox', { name: `Fullfør Ring ${number}` }).click();
      await page.getByRole('row', { name: `Ring ${number}` }).waitFor({ state: 'detached' });
    };
    await tick(10);
    expect(await header.innerText()).toBe('Alle oppgaver');
    for (let number = 14; number < 24; number++) {
      await workspace.task({ title: `Ring ${number}`, due_date: `2026-01-${number}T11:00:00Z` });
    }
    await expect.poll(() => header.innerText()).toMatch(/^2 til/);
    await tick(11);
    expect(await header.innerText()).toMatch(/^2 til/);
  });
});
