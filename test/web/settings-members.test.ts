import { describe, expect, test } from 'vitest';
import { axe, useBrowser, type Visit } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';
import { focused } from './signed-in.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

/** Checks that axe objects to nothing, on a phone and in a wide window. */
async function axeOnBoth({ page, show }: Pick<Visit, 'page' | 'show'>) {
  for (const screen of ['phone', 'wide'] as const) {
    await show(screen);
    expect([screen, await axe(page)]).toEqual([screen, []]);
  }
}

/** As much of an element as is asked here. */
type Part = { clientWidth: number; scrollWidth: number };

describe.skipIf(CHROMIUM === undefined)('members', () => {
  test('a person is invited by keyboard alone and enters by the link', async () => {
    const workspace = await world.workspace();
    const { page, open, show } = await enter(browsers, workspace);
    await open('/settings/members');
    await page.getByText(workspace.member.email).waitFor();
    await axeOnBoth({ page, show });
    await page.keyboard.press('n');
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email');
    await axeOnBoth({ page, show });
    await page.keyboard.press('Enter');
    await page.getByText('Fyll ut dette feltet.').waitFor();
    await page.keyboard.type('nora@');
    await page.keyboard.press('Enter');
    await page.getByText('Skriv en hel e-postadresse, som navn@firma.no.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Medlemmer');
    await page.getByRole('button', { name: 'Inviter' }).press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email');
    const email = `nora.${process.pid}@example.no`;
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: /^Lenke til nora/ });
    await panel.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(/^Lenke til nora/);
    const link = (await panel.locator('code').textContent())!;
    await page.getByText('Invitert, lenken gjelder til').waitFor();

    const guest = await browsers.visit(world.origin);
    await guest.open(new URL(link).pathname);
    await guest.page.locator('[autocomplete=given-name]').fill('Nora');
    await guest.page.locator('[autocomplete=family-name]').fill('Berg');
    await guest.page.locator('[autocomplete=new-password]').fill('et langt passord');
    await guest.page.locator('[type=submit]').first().click();
    await guest.page.getByRole('heading', { name: 'Hjem' }).waitFor();
    await page.getByText('Nora Berg', { exact: true }).waitFor();
  });

  test('a role is changed at once, and taken back; the last owner is told what to do first, and offered neither role nor leaving', async () => {
    const workspace = await world.workspace();
    await workspace.signIn(workspace.member);
    const { page, open, show } = await enter(browsers, workspace, { language: 'en' });
    await open('/settings/members');
    const own = page.getByRole('row', { name: /Ola/ });
    const reason = own.getByText('Make somebody else an owner before you give up the role or leave.');
    await reason.waitFor();
    await expect.poll(() => own.getByRole('button').count()).toBe(0);
    await axeOnBoth({ page, show });
    const select = page.getByRole('button', { name: /Role of Kari Nordmann/ });
    await select.press('Enter');
    await page.getByRole('menuitemradio', { name: 'Administrator' }).press('Enter');
    await page.getByText('Kari Nordmann is now an administrator').waitFor();
    await expect.poll(() => focused(page)).toMatch(/^Role of Kari Nordmann:\s+Administrator$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => select.textContent()).toBe('Role of Kari Nordmann: Member');

    await select.click();
    await page.getByRole('menuitemradio', { name: 'Owner' }).click();
    await own.getByRole('button', { name: /Role of Ola/ }).waitFor();
    await own.getByRole('button', { name: /Actions for Ola/ }).waitFor();
    await expect.poll(() => reason.count()).toBe(0);
  });

  test('roles are shown in whole words; a member hands over before leaving, by keyboard', async () => {
    const workspace = await world.workspace();
    await workspace.addMember({ first_name: 'Åse' }, 'admin');
    const task = await workspace.task({ user_id: workspace.member.id });
    const { page, open, show } = await enter(browsers, workspace);
    await open('/settings/members');
    const selects = page.getByRole('button', { name: /Rollen til/ });
    await expect.poll(() => selects.count()).toBe(2);
    for (const screen of ['wide', 'phone'] as const) {
      await show(screen);
      const isCut = (all: Part[]) => all.some(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth);
      expect(await selects.evaluateAll(isCut)).toBe(false);
      const widths = await selects.evaluateAll((all: Part[]) => all.map(({ clientWidth }) => clientWidth));
      expect(Math.max(...widths)).toBeLessThan(180);
    }
    await show('wide');

    await page.getByRole('button', { name: 'Valg for Kari Nordmann' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Fjern …' }).press('Enter');
    await page.getByText('1 åpen oppgave').waitFor();
    await axeOnBoth({ page, show });
    const remove = page.getByRole('button', { name: 'Fjern Kari Nordmann' });
    await remove.press('Enter');
    await page.getByText('Velg hvem som tar over.').waitFor();
    await page.getByRole('button', { name: /Gi arbeidet til/ }).press('Enter');
    await page.getByRole('option', { name: /Ola/ }).press('Enter');
    const listed = Promise.withResolvers<void>();
    await page.route(/\/app\/api\/members(\?|$)/, async (route) => {
      await listed.promise;
      await route.fallback();
    });
    await remove.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Valg for Kari Nordmann');
    listed.resolve();
    await page.getByText(workspace.member.email).waitFor({ state: 'detached' });
    // The menu that had the focus goes with its row, while the message is shown, which handles the focus as well.
    const seen = '[document.activeElement.tagName, document.querySelectorAll(".toast").length]';
    await expect.poll(() => page.evaluate(seen)).toEqual(['H1', 1]);
    await expect
      .poll(async () => (await workspace.client.get(`/tasks/${task.id}`)).body.data.user_id)
      .toBe(workspace.owner.id);
  });

  test('work that somebody gets while their removal is being confirmed is handed over, too', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace);
    await open('/settings/members');
    await page.getByRole('button', { name: 'Valg for Kari Nordmann' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Fjern …' }).press('Enter');
    const remove = page.getByRole('button', { name: 'Fjern Kari Nordmann' });
    await remove.waitFor();
    await workspace.task({ user_id: workspace.member.id });
    await remove.press('Enter');
    await page.getByText('Velg hvem som tar over.').waitFor();
    await page.getByRole('button', { name: /Gi arbeidet til/ }).press('Enter');
    await page.getByRole('option', { name: /Ola/ }).press('Enter');
    await remove.press('Enter');
    await expect.poll(() => page.getByText('Kari Nordmann er fjernet').count()).toBe(1);
  });

  test('an admin invites members, and is told who decides about roles', async () => {
    const workspace = await world.workspace();
    const person = await workspace.addMember({}, 'admin');
    const { page, open, show } = await enter(browsers, workspace, { person, language: 'en' });
    await open('/settings/members');
    await page.getByText('an owner decides about roles').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Role of/ }).count()).toBe(0);
    await page.keyboard.press('n');
    await page.getByText('The role will be member. An owner can change it.').waitFor();
    await axeOnBoth({ page, show });
    const email = `nora.admin.${process.pid}@example.no`;
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    // Somebody without a name is called by their address.
    await page.getByRole('region', { name: `Link for ${email}` }).waitFor();
    await page.getByRole('rowheader', { name: email }).waitFor();
    expect(await page.getByRole('table').getByText(email).count()).toBe(1);
  });

  test('a member is shown who is there, and told who decides', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace, { person: workspace.member });
    await open('/settings/members');
    await page.getByText('En administrator inviterer og fjerner medlemmer').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Inviter' }).count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: /^Valg for/ }).count()).toBe(0);
  });
});
