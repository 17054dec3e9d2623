import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

/** Where the workspaces are. */
const today = () => Temporal.Now.plainDateISO('Europe/Oslo');

describe.skipIf(CHROMIUM === undefined)('the workspace and its history', () => {
  test('an owner changes name and time zone by keyboard', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/workspace');
    expect(await axe(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Navn' }).first().fill('Nordlys AS');
    const zone = page.getByRole('combobox', { name: 'Tidssone' });
    await zone.fill('new york');
    await page.getByRole('option', { name: /America\/New_York/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Lagre' }).click();
    await page.getByText('Arbeidsområdet er lagret').waitFor();
    // A button that was pending leaves nothing without a name behind.
    expect(await axe(page)).toEqual([]);
    await expect.poll(() => page.locator('[data-live-announcer] [role=img]').count()).toBe(0);
    const browser = await workspace.signIn();
    await expect
      .poll(async () => (await browser.get('/session')).body.data.workspace)
      .toMatchObject({
        name: 'Nordlys AS',
        time_zone: 'America/New_York',
      });
  });

  test('saving one field leaves the others as somebody else has set them meanwhile, and shows them', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/workspace');
    const name = page.getByRole('textbox', { name: 'Navn' }).first();
    await name.fill('Nordlys AS');
    const browser = await workspace.signIn();
    await browser.patch('/workspace', { time_zone: 'Europe/London', language: 'en' });
    await page.getByRole('button', { name: 'Lagre' }).click();
    await page.getByText('Arbeidsområdet er lagret').waitFor();
    expect((await browser.get('/session')).body.data.workspace).toMatchObject({
      name: 'Nordlys AS',
      language: 'en',
      time_zone: 'Europe/London',
    });
    const zone = page.getByRole('combobox', { name: 'Tidssone' });
    await expect.poll(() => zone.inputValue()).toBe('Europe/London');
    await browser.patch('/workspace', { name: 'Nordlys Holding AS' });
    await zone.fill('new york');
    await page.getByRole('option', { name: /America\/New_York/ }).click();
    await page.getByRole('button', { name: 'Lagre' }).click();
    await expect.poll(() => name.inputValue()).toBe('Nordlys Holding AS');
    expect((await browser.get('/session')).body.data.workspace).toMatchObject({
      name: 'Nordlys Holding AS',
      time_zone: 'America/New_York',
    });
  });

  test('a filter that nothing matches says so; an owner creates another workspace and is there', async () => {
    const workspace = await world.workspace();
    await workspace.contact();
    const { page, open, go } = await enter(browsers, workspace, { language: 'en' });
    await open('/settings/history?action=erased');
    await page.getByText('No change matches the filters.').waitFor();
    expect(await axe(page)).toEqual([]);
    await go('/settings/workspace');
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Datter AS');
    await page.getByRole('button', { name: 'Create and go there' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByText('Datter AS').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('a member reads what an owner decides', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace, { person: workspace.member });
    await open('/settings/workspace');
    await page.getByText('En eier av arbeidsområdet kan endre dette.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Lagre' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
  });

  test('the history says who did what, wide and on a phone', async () => {
    const first = today();
    const workspace = await world.workspace();
    const offer = await workspace.offer({ title: 'Årslisens' });
    const browser = await workspace.signIn(workspace.member);
    await browser.patch(`/offers/${offer.id}`, { user_id: workspace.member.id });
    await browser.patch(`/offers/${offer.id}`, { status: 'sent' });
    await workspace.removeMember(workspace.member);
    const { page, open, go, show } = await enter(browsers, workspace);
    const look = async () => {
      for (const screen of ['phone', 'wide'] as const) {
        await show(screen);
        expect([screen, await axe(page)]).toEqual([screen, []]);
      }
    };
    await open('/settings/history');
    await page.getByText('Årslisens · Tilbud').first().waitFor();
    await page.getByText(/endret · status: Ny → Sendt/).waitFor();
    await page.getByText('eier: Ola Nordmann → Kari Nordmann').waitFor();
    await look();
    const next = today().add({ days: 1 });
    for (const [from, to, found] of [
      [next, next, 0],
      // The day may have ended meanwhile.
      [first, today(), 1],
    ] as const) {
      await go('/settings/profile');
      await go(`/settings/history?period=days&from=${from.toString()}&to=${to.toString()}`);
      await page.getByRole('group', { name: 'Fra dato' }).waitFor();
      if (found === 0) await page.getByText('Ingen endringer passer').waitFor();
      else await page.getByText(/endret · status: Ny → Sendt/).waitFor();
    }
    await look();
    await show('phone');
    // Who and when stand where a long list of fields does not push them out of sight.
    await page
      .getByText(/Kari Nordmann · \d\d\.\d\d\.\d{4} \d\d:\d\d · endret · status: Ny → Sendt/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^Periode/ }).click();
    await page.getByRole('menuitemradio', { name: 'Alle' }).click();
    await page.getByRole('group', { name: 'Fra dato' }).waitFor({ state: 'detached' });
    await go('/settings/profile');
    await go('/settings/history');
    await page.getByRole('button', { name: 'Hvem' }).click();
    await page.getByRole('menuitemradio', { name: 'Alle API-nøkler' }).click();
    await page.getByText(/endret · status/).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?who=key');
    const link = await page.getByRole('link', { name: 'Last ned CSV' }).getAttribute('href');
    expect(link).toBe(`/app/api/history/export?actor_kind=key&language=nb&workspace=${workspace.id}`);
  });

  test('the history says who has a task now, and which contact was merged', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    const task = await workspace.task({ title: 'Ring Kari', user_id: workspace.owner.id });
    await browser.patch(`/tasks/${task.id}`, { user_id: workspace.member.id });
    const add = async (name: string) => (await browser.post('/contacts', { name })).body.data;
    const [kept, other] = [await add('Kari'), await add('K. Berg')];
    await browser.post(`/contacts/${other.id}/points`, { type: 'email', value: 'kari@example.no' });
    expect((await browser.post(`/contacts/${kept.id}/merge`, { other_id: other.id })).status).toBe(200);
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/history');
    await page.getByText('ansvarlig: Ola Nordmann → Kari Nordmann').waitFor();
    await page.getByText('slettet · slått sammen med en annen kontakt').waitFor();
    expect(await page.getByText(`${other.id} → ${kept.id}`).count()).toBe(0);
  });

  test('the history shows a change that is made while it is open', async () => {
    const workspace = await world.workspace();
    await workspace.offer({ title: 'Årslisens' });
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/history');
    await page.getByText('Årslisens · Tilbud').first().waitFor();
    await workspace.offer({ title: 'Opplæring' });
    await expect.poll(() => page.getByText('Opplæring · Tilbud').count()).toBe(1);
  });

  test('a filtered history goes on after a page that is empty, and stops at one that fails', async () => {
    const workspace = await world.workspace();
    await workspace.offer({ title: 'Årslisens' });
    const { page, open, go } = await enter(browsers, workspace);
    const asked: string[] = [];
    await page.route(/\/app\/api\/history\?/, async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor') ?? '';
      asked.push(cursor);
      if (cursor === 'c3') {
        await route.fulfill({ status: 429, json: { error: 'Slow down', code: 'rate_limited' } });
        return;
      }
      const next_cursor = cursor === '' ? 'c2' : 'c3';
      const response = await route.fetch({
        url: route
          .request()
          .url()
          .replace(/cursor=c\d/, 'cursor='),
      });
      const answer = await response.json();
      const data = cursor === '' ? answer.data : [];
      await route.fulfill({
        json: { ...answer, data, page: { ...answer.page, has_more: true, next_cursor } },
      });
    });
    await open('/settings/history?resource=offer');
    await page.getByText('Årslisens · Tilbud').first().waitFor();
    await page.getByText('For mange forespørsler').waitFor();
    expect(await axe(page)).toEqual([]);
    expect(asked).toEqual(['', 'c2', 'c3']);
    // What has several pages is read again at the next visit, not at each change.
    const readAgain = page.waitForResponse('**/app/api/tasks/groups?*');
    await workspace.offer({ title: 'Opplæring' });
    await readAgain;
    expect(asked).toEqual(['', 'c2', 'c3']);
    await go('/settings/workspace');
    await go('/settings/history?resource=offer');
    await page.getByText('Opplæring · Tilbud').waitFor();
  });

  test('days begin by the new time zone everywhere at once', async () => {
    const workspace = await world.workspace();
    const { page, open, go } = await enter(browsers, workspace);
    await open('/tasks');
    await page.getByText('Ingen åpne oppgaver').waitFor();
    await go('/settings/workspace');
    await page.getByRole('combobox', { name: 'Tidssone' }).fill('new york');
    await page.getByRole('option', { name: /America\/New_York/ }).click();
    const asked = page.waitForRequest('**/app/api/tasks/groups?*');
    await page.getByRole('button', { name: 'Lagre' }).click();
    await page.getByText('Arbeidsområdet er lagret').waitFor();
    expect((await asked).method()).toBe('GET');
  });

  test('a time zone saved by keyboard keeps the focus, and what is chosen meanwhile stays', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    const held = Promise.withResolvers<void>();
    let asked = 0;
    await page.route('**/app/api/workspace', async (route) => {
      if (route.request().method() === 'PATCH') asked += 1;
      await held.promise;
      await route.continue();
    });
    await open('/settings/workspace');
    const zone = page.getByRole('combobox', { name: 'Tidssone' });
    const language = page.locator('.workspace-field .field-select');
    const choose = async (name: string) => {
      await zone.fill(name);
      await page.getByRole('option', { name }).click();
      await expect.poll(() => zone.inputValue()).toBe(name);
    };
    /** Enter chooses first, and is sent once the zones of the text are there. */
    const save = async (times: number) => {
      await expect
        .poll(async () => {
          if (asked < times) await zone.press('Enter');
          return asked;
        })
        .toBe(times);
    };
    const pending = () => page.locator('form [type=submit][data-pending]').count();
    await choose('America/New_York');
    await save(1);
    await choose('Europe/Paris');
    await language.click();
    await page.getByRole('option', { name: 'English' }).click();
    held.resolve();
    await page.getByText('Arbeidsområdet er lagret').waitFor();
    await expect.poll(pending).toBe(0);
    expect(await zone.inputValue()).toBe('Europe/Paris');
    expect(await language.textContent()).toContain('English');
    await save(2);
    const browser = await workspace.signIn();
    await expect
      .poll(async () => (await browser.get('/session')).body.data.workspace)
      .toMatchObject({ time_zone: 'Europe/Paris', language: 'en' });
    await expect.poll(pending).toBe(0);
    expect(await zone.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
  });

  test('the history is filtered by a revoked key and by a removed member', async () => {
    const workspace = await world.workspace();
    const key = await workspace.key();
    await key.client.post('/contacts', { name: 'Fra nøkkelen' });
    const leaving = await workspace.signIn(workspace.member);
    await leaving.post('/contacts', { name: 'Fra Kari' });
    await world.query('update api_keys set revoked_at = now() where id = $1', [key.id]);
    await workspace.removeMember(workspace.member);
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/history');
    const entryOf = (name: string) => page.getByText(`${name} · Kontakt`).first();
    const filter = page.getByRole('button', { name: /^Hvem/ });
    for (const [who, shown, hidden] of [
      [/^test \(trukket tilbake [\d.]+\)$/, 'Fra nøkkelen', 'Fra Kari'],
      [/^Kari Nordmann \(fjernet [\d.]+\)$/, 'Fra Kari', 'Fra nøkkelen'],
    ] as const) {
      await entryOf(shown).waitFor();
      await filter.click();
      await page.getByRole('menuitemradio', { name: who }).click();
      await entryOf(hidden).waitFor({ state: 'detached' });
      expect(await entryOf(shown).count()).toBe(1);
      await page.getByRole('button', { name: 'Tøm' }).click();
    }
  });
});
