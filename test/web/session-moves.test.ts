import { afterAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/db/connect.ts';
import { createLink } from '../../src/members/links.ts';
import { axe, pressInTurn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';
import { joinAnother } from './join-another.ts';

describe.skipIf(CHROMIUM === undefined)('a page', async () => {
  const world = await createWorld();
  const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
  afterAll(() => db.close());
  const visit = useBrowser();

  test('goes to the workspace chosen in the menu only after asking, where something is not saved', async () => {
    const workspace = await world.workspace();
    await joinAnother(world, workspace.owner);
    const { id } = await workspace.offer({ title: 'Driftsavtale' });
    const { page, open } = await enter({ world, visit }, workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Engangs' }).click();
    const field = page.getByRole('textbox', { name: 'Engangs' });
    await field.fill('omtrent ti');
    let isAsked = false;
    page.on('dialog', async (dialog) => {
      isAsked = true;
      await dialog.accept();
    });
    const question = page.getByRole('alertdialog', { name: 'Noe er ikke lagret' });
    const choose = async () => {
      await page.locator('.person-button').click();
      await page.getByRole('menuitemradio', { name: 'Andre AS' }).click();
      await question.waitFor();
    };
    await choose();
    expect(await axe(page)).toEqual([]);
    await question.getByRole('button', { name: 'Avbryt' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('omtrent ti');
    await field.fill('10');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Rediger Engangs' }).click();
    expect(await field.inputValue()).toBe('10');
    await field.fill('omtrent ti');
    await choose();
    await question.getByRole('button', { name: 'Bytt arbeidsområde' }).click();
    await page.locator('.navigation-workspace[title="Andre AS"]').waitFor();
    expect(isAsked).toBe(false);
  });

  test('that nobody sees leaves the session where somebody has signed in', async () => {
    const first = await world.workspace();
    const person = await first.addMember();
    const { path } = await createLink(db, {
      kind: 'invitation',
      user_id: person.id,
      workspace: first.id,
    });
    const { page, open } = await visit(world.origin);
    const post = (to: string, data: object) =>
      page.context().request.post(`/app/api${to}`, { data, headers: { origin: world.origin } });
    const password = 'riktig hest batteri';
    await post(path, { first_name: 'Kari', last_name: 'Berg', password });
    const shown = await joinAnother(world, person);
    await post('/session/workspace', { workspace_id: shown.id });
    await page.context().route(/\/changes\?.*wait=[1-9]/, () => undefined);
    await open('/tasks');
    await world.query('delete from sessions where user_id = $1', [person.id]);
    await pressInTurn(page, 'g c');
    const dialog = page.getByRole('dialog', { name: 'Du er logget ut' });
    await dialog.waitFor();
    await page.evaluate(
      "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })",
    );
    const second = await page.context().newPage();
    await second.goto('/sign-in');
    await second.getByLabel('E-post').fill(person.email);
    await second.getByLabel('Passord', { exact: true }).fill(password);
    const looked = page.waitForResponse('**/app/api/session');
    await second.keyboard.press('Enter');
    await looked;
    // What the first does with the answer is done by then.
    await page.evaluate("fetch('/app/api/session').then((answer) => answer.text())");
    await second.locator('.navigation-workspace[title="Prøve AS"]').waitFor();
    const session = await page.context().request.get('/app/api/session');
    expect((await session.json()).data.workspace.name).toBe('Prøve AS');
    expect(await dialog.isVisible()).toBe(true);
  });

  test('stays when it learns late where the session has been meanwhile', async () => {
    const workspace = await world.workspace();
    const other = await joinAnother(world, workspace.owner);
    const { page, open } = await enter({ world, visit }, workspace);
    const { id } = await workspace.offer({ title: 'Driftsavtale' });
    // What waits for changes would look where the session is as well.
    await page.route(/\/changes\?.*wait=[1-9]/, () => undefined);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Tittel' }).click();
    const field = page.getByRole('textbox', { name: 'Tittel' });
    await field.fill('Ny avtale');
    const asked = Promise.withResolvers<void>();
    page.on('dialog', async (dialog) => {
      await dialog.dismiss();
      asked.resolve();
    });
    const move = (to: string) =>
      page.context().request.post('/app/api/session/workspace', {
        data: { workspace_id: to },
        headers: { origin: world.origin },
      });
    const read = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route(
      '**/app/api/session',
      async (route) => {
        const response = await route.fetch();
        read.resolve();
        await held.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const look = () =>
      page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await move(other.id);
    await look();
    await read.promise;
    await move(workspace.id);
    const looked = page.waitForResponse('**/app/api/session');
    await look();
    await looked;
    // No request for the session is under way but the one that is held.
    await page.evaluate("fetch('/app/api/session').then((answer) => answer.text())");
    const again = page.waitForRequest('**/app/api/session');
    held.resolve();
    const first = await Promise.race([asked.promise.then(() => 'left'), again.then(() => 'looked again')]);
    expect(first).toBe('looked again');
    expect(await field.inputValue()).toBe('Ny avtale');
  });
});
