import { afterAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { connect } from '../../src/db/connect.ts';
import { createLink } from '../../src/members/links.ts';
import { pressInTurn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { joinAnother } from './join-another.ts';
import { enterAs } from './signed-in.ts';

async function openSecond(first: Page, path: string): Promise<Page> {
  const page = await first.context().newPage();
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  return page;
}

describe.skipIf(CHROMIUM === undefined)('a second tab', async () => {
  const world = await createWorld();
  const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
  afterAll(() => db.close());
  const visit = useBrowser();

  /** Somebody in a workspace, who is in "Andre AS" as well. */
  async function enterOneOfTwo() {
    const workspace = await world.workspace();
    const person = workspace.member;
    const other = await joinAnother(world, person);
    const prepare = await enterAs(workspace, world.origin, person);
    const { page, open } = await visit(world.origin, { prepare });
    return { workspace, person, other, page, open };
  }

  test('does not write to the workspace that the first has gone to while it shows another', async () => {
    const workspace = await world.workspace();
    await joinAnother(world, workspace.owner, 'owner');
    const prepare = await enterAs(workspace, world.origin);
    const { page, open } = await visit(world.origin, { prepare });
    await open('/');
    const second = await openSecond(page, '/tasks');
    const shown = () => second.locator('.navigation-workspace').getAttribute('title');
    expect(await shown()).toBe('Prøve AS');
    await page.getByRole('button', { name: /Ola Nordmann/ }).click();
    await page.getByRole('menuitemradio').first().waitFor();
    const places = page.getByRole('group', { name: 'Arbeidsområde' }).getByRole('menuitemradio');
    expect(await places.count()).toBe(2);
    await places.and(page.locator('[aria-checked=false]')).click();
    await expect.poll(shown).toBe('Andre AS');
  });

  test('that shows a workspace its person was removed from writes nothing into another one', async () => {
    const { workspace, person, other, page, open } = await enterOneOfTwo();
    // Nothing but the new task asks.
    await page.route(/\/changes\?.*wait=[1-9]/, () => undefined);
    await open('/tasks');
    await page.getByLabel('Ny oppgave').fill('Ring Kari');
    await workspace.removeMember(person);
    await page.keyboard.press('Enter');
    await page.locator('.navigation-workspace[title="Andre AS"]').waitFor();
    expect(await world.query('select title from tasks where tenant_id = $1', [other.id])).toEqual([]);
  });

  test('goes to another workspace by itself when its person is removed from the one it shows', async () => {
    const { workspace, person, page, open } = await enterOneOfTwo();
    const waits = page.waitForRequest(/\/changes\?.*wait=[1-9]/);
    await open('/tasks');
    await waits;
    await workspace.removeMember(person);
    const shown = page.locator('.navigation-workspace');
    await expect.poll(() => shown.getAttribute('title').catch(() => null)).toBe('Andre AS');
  });

  test('is signed in again with the first', async () => {
    const workspace = await world.workspace();
    const person = await workspace.addMember();
    const { path } = await createLink(db, {
      kind: 'invitation',
      user_id: person.id,
      workspace: workspace.id,
    });
    const { page, open } = await visit(world.origin);
    const data = { first_name: 'Kari', last_name: 'Berg', password: 'riktig hest batteri' };
    const headers = { origin: world.origin };
    await page.context().request.post(`/app/api${path}`, { data, headers });
    // Nothing but the keys asks: an earlier dialog would take them.
    await page.context().route(/\/changes\?.*wait=[1-9]/, () => undefined);
    await open('/');
    const second = await openSecond(page, '/companies');
    await world.query('delete from sessions where user_id = $1', [person.id]);
    // This answer is of the time before, and comes late.
    const isIn = Promise.withResolvers<void>();
    await second.route(
      '**/app/api/tasks/rows?*',
      async (route) => {
        const response = await route.fetch();
        await isIn.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const dialogs = [page, second].map((one) => one.getByRole('dialog', { name: 'Du er logget ut' }));
    for (const tab of [page, second]) await pressInTurn(tab, 'g t');
    for (const dialog of dialogs) await dialog.waitFor();
    await page.getByLabel('Passord', { exact: true }).fill(data.password);
    await page.keyboard.press('Enter');
    for (const dialog of dialogs) await dialog.waitFor({ state: 'detached' });
    isIn.resolve();
    await second.getByText('Ingen åpne oppgaver').waitFor();
    expect(new URL(second.url()).pathname).toBe('/tasks');
  });
});

describe.skipIf(CHROMIUM === undefined)('a page that the browser shows again as it was left', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const SHOW = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))";

  test('asks a person who has signed out to sign in, and is not shown to somebody else', async () => {
    const workspace = await world.workspace();
    await workspace.task({ title: 'Ring Kari', user_id: workspace.owner.id });
    const { page, open } = await visit(world.origin, { prepare: await enterAs(workspace, world.origin) });
    await open('/tasks');
    await page.getByText('Ring Kari').waitFor();
    await page.context().clearCookies();
    await page.evaluate(SHOW);
    await page.getByRole('dialog', { name: 'Du er logget ut' }).waitFor();

    await open('/sign-in');
    const other = await world.workspace();
    await (
      await enterAs(workspace, world.origin)
    )(page);
    await open('/tasks');
    await page.getByText('Ring Kari').waitFor();
    await (
      await enterAs(other, world.origin)
    )(page);
    await page.evaluate(SHOW);
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByText('Ring Kari').count()).toBe(0);
  });

  test('has the role that an owner has given meanwhile', async () => {
    const workspace = await world.workspace();
    const prepare = await enterAs(workspace, world.origin, workspace.member);
    const { page, open } = await visit(world.origin, { prepare });
    await open('/settings/members');
    await page.getByText(workspace.owner.email).waitFor();
    await world.query("update memberships set role = 'admin' where user_id = $1", [workspace.member.id]);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await expect.poll(() => page.getByRole('button', { name: 'Inviter' }).count()).toBe(1);
  });
});
