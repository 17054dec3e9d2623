import { describe, expect, test } from 'vitest';
import { axe, pressInTurn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

describe.skipIf(CHROMIUM === undefined)('roles', () => {
  test('the keys of a shortcut leave the role alone that has the focus', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace, { language: 'en' });
    await open('/settings/members');
    await page.getByRole('button', { name: /Role of Kari/ }).focus();
    await pressInTurn(page, 'g o');
    await page.getByRole('heading', { name: 'Offers' }).waitFor();
    const { data } = (await (await workspace.signIn()).get('/members')).body;
    expect(data.find(({ id }: { id: string }) => id === workspace.member.id).role).toBe('member');
  });

  test('undo gives back the role that was there before, also when the list is quicker than the answer', async () => {
    const workspace = await world.workspace();
    await workspace.signIn(workspace.member);
    const { page, open } = await enter(browsers, workspace, { language: 'en' });
    await open('/settings/members');
    const select = page.getByRole('button', { name: /Role of Kari/ });
    await select.waitFor();
    const answered = Promise.withResolvers<void>();
    const patch = new RegExp(`/members/${workspace.member.id}$`);
    await page.route(patch, async (route) => {
      const response = await route.fetch();
      await answered.promise;
      await route.fulfill({ response });
    });
    await select.press('Enter');
    await page.getByRole('menuitemradio', { name: 'Owner' }).press('Enter');
    await expect.poll(() => select.textContent()).toContain('Owner');
    answered.resolve();
    await page.getByText('Kari Nordmann is now an owner').waitFor();
    await page.unroute(patch);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone').waitFor();
    await expect.poll(() => select.textContent()).toContain('Member');
  });

  test('a role that was saved stays in view until the list is read again, and undo goes back to it', async () => {
    const workspace = await world.workspace();
    await workspace.signIn(workspace.member);
    const { page, open } = await enter(browsers, workspace, { language: 'en' });
    await open('/settings/members');
    const select = page.getByRole('button', { name: /Role of Kari/ });
    await select.waitFor();
    const listed = Promise.withResolvers<void>();
    await page.route(/\/app\/api\/members(\?|$)/, async (route) => {
      await listed.promise;
      await route.continue();
    });
    for (const role of ['Admin', 'Owner']) {
      await select.press('Enter');
      await page.getByRole('menuitemradio', { name: role }).press('Enter');
      await page.getByText(`Kari Nordmann is now an ${role.toLowerCase()}`).waitFor();
      await expect.poll(() => select.textContent()).toContain(role);
    }
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone').waitFor();
    await expect.poll(() => select.textContent()).toContain('Admin');
    listed.resolve();
    const { data } = (await (await workspace.signIn()).get('/members')).body;
    expect(data.find(({ id }: { id: string }) => id === workspace.member.id).role).toBe('admin');
  });

  test('undo of a role does not take back what another owner has decided since', async () => {
    const workspace = await world.workspace();
    await workspace.signIn(workspace.member);
    const { page, open } = await enter(browsers, workspace, { language: 'en' });
    await open('/settings/members');
    await page.getByRole('button', { name: /Role of Kari/ }).press('Enter');
    await page.getByRole('menuitemradio', { name: 'Admin' }).press('Enter');
    await page.getByText('Kari Nordmann is now an admin').waitFor();
    await world.query("update memberships set role = 'owner' where user_id = $1", [workspace.member.id]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Somebody else changed').waitFor();
    const { data } = (await (await workspace.signIn()).get('/members')).body;
    expect(data.find(({ id }: { id: string }) => id === workspace.member.id).role).toBe('owner');
  });

  test('another role of somebody invited ends their link, which is said and no longer shown', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/members');
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByLabel('E-post').fill(`nora.role.${process.pid}@example.no`);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: /^Lenke til nora/ });
    await panel.waitFor();
    await page.getByRole('button', { name: /Rollen til nora/ }).press('Enter');
    await page.getByRole('menuitemradio', { name: 'Administrator' }).press('Enter');
    await page.getByText(/^nora\S* er nå administrator\. Invitasjonslenken virker ikke lenger/).waitFor();
    expect(await page.getByRole('button', { name: 'Angre' }).count()).toBe(0);
    await expect.poll(() => panel.count()).toBe(0);
    expect(await axe(page)).toEqual([]);
  });

  test('of two owners who give up the role or leave at once, one is refused in words', async () => {
    const workspace = await world.workspace();
    const asOther = await workspace.signIn(workspace.member);
    await world.query("update memberships set role = 'owner' where user_id = $1", [workspace.member.id]);
    const { page, open } = await enter(browsers, workspace, { language: 'en' });
    // The other owner is quicker, and the page does not know it yet: its list is answered as it was before.
    let listed: string | undefined;
    await page.route(/\/app\/api\/members\?/, async (route) => {
      const body = await (await route.fetch()).text();
      await route.fulfill({ body: listed ?? body });
    });
    await open('/settings/members');
    const role = page.getByRole('button', { name: /Role of Ola/ });
    await role.waitFor();
    listed = await page.evaluate<string>(`fetch('/app/api/members').then((answer) => answer.text())`);
    await asOther.patch(`/members/${workspace.member.id}`, { role: 'member' });
    await role.click();
    await page.getByRole('menuitemradio', { name: 'Member' }).click();
    await page.getByRole('button', { name: 'Give up the owner role' }).click();
    await page.getByText('always has an owner').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: /Actions for Ola/ }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove Ola Nordmann' }).click();
    await dialog.getByText('always has an owner').waitFor();
  });
});
