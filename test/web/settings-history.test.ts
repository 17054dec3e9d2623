import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

/** Today's date where the workspaces are. */
const today = () => Temporal.Now.plainDateISO('Europe/Oslo');

describe.skipIf(CHROMIUM === undefined)('the history of a workspace', () => {
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
    // Who and when are where a long list of fields does not push them out of sight.
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
