import { describe, expect, test } from 'vitest';
import { focusIn, type Screen, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';

describe.skipIf(CHROMIUM === undefined)('the page of a company', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  type Options = { screen?: Screen; as?: Workspace['owner'] };

  async function enter(workspace: Workspace, { screen = 'wide', as = workspace.owner }: Options = {}) {
    const token = await workspace.sessionOf(as);
    const visited = await visit(world.origin, { screen });
    await visited.page.context().addCookies([{ name: 'kundebok_session', value: token, url: world.origin }]);
    return visited;
  }

  test('takes a note by keyboard, once however often it is sent; shows what others wrote before it is overwritten', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company({ phone_number: '11 11 11 11' });
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}`);
    const field = page.getByRole('textbox', { name: 'Nytt notat' });
    // The service gets the note, and the answer is lost.
    await page.route(
      '**/notes',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await field.waitFor();
    await page.keyboard.press('n');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await field.fill('Ringte, <b>ringer</b> igjen');
    await page.keyboard.press('Control+Enter');
    const alert = page.getByRole('alert').getByText('Får ikke kontakt');
    await alert.waitFor();
    await expect.poll(() => field.inputValue()).toBe('Ringte, <b>ringer</b> igjen');
    await field.fill('');
    await expect.poll(() => alert.count()).toBe(0);
    await field.fill('Ringte, <b>ringer</b> igjen');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    const entry = page.getByRole('listitem').filter({ hasText: 'Ola Nordmann skrev et notat' });
    await entry.getByText('Ringte, <b>ringer</b> igjen').waitFor();
    const notes = async () => (await workspace.client.get('/notes')).body.data.length;
    await expect.poll(() => notes()).toBe(1);

    await entry.getByRole('button', { name: 'Slett notatet «Ringte, <b>ringer</b> igjen»' }).press('Enter');
    await entry.waitFor({ state: 'detached' });
    // The only note is gone: the heading has the focus.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await expect.poll(() => notes()).toBe(0);
    await page.getByRole('button', { name: 'Angre' }).press('Enter');
    await entry.waitFor();
    await expect.poll(() => notes()).toBe(1);

    await field.fill('Avtalte møte');
    await page.getByRole('button', { name: 'Lagre notatet' }).press('Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await page.getByRole('button', { name: 'Slett notatet «Avtalte møte»' }).press('Enter');
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Slett notatet «Ringte, <b>ringer</b> igjen»');

    const phoneButton = page.getByRole('button', { name: /Telefon/ });
    await phoneButton.press('Enter');
    // A field that is left as it was closes.
    await page.keyboard.press('Enter');
    await phoneButton.press('Enter');
    const phoneField = page.getByRole('textbox', { name: 'Telefon' });
    await phoneField.fill('33 33 33 33');
    await workspace.client.patch(`/companies/${orgnr}`, { phone_number: '22 22 22 22' });
    await phoneField.press('Enter');
    await page.getByText('til 22 22 22 22 imens').waitFor();
    await expect.poll(() => page.getByText('Noen andre har endret').count()).toBe(1);
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    await expect.poll(() => phoneField.inputValue()).toBe('33 33 33 33');
    const phone = async () => (await workspace.client.get(`/companies/${orgnr}`)).body.data.phone_number;
    await expect.poll(() => phone()).toBe('22 22 22 22');
    // While it is saved the key that saved does not open the field again, and another one may be opened.
    const held = Promise.withResolvers<void>();
    await page.route('**/app/api/companies/*', async (route) => {
      if (route.request().method() === 'PATCH') await held.promise;
      await route.fallback();
    });
    await phoneField.press('Enter');
    await expect.poll(() => page.locator('.edit[data-state="saving"]').count()).toBe(1);
    await page.getByRole('button', { name: /Mobil/ }).press('Enter');
    const mobile = page.getByRole('textbox', { name: 'Mobil' });
    await mobile.waitFor();
    await expect.poll(() => page.locator('.edit[data-state="saving"]').count()).toBe(1);
    held.resolve();
    await page.locator('.edit[data-state="saved"]').waitFor();
    await expect.poll(phone).toBe('33 33 33 33');
    await expect
      .poll(() => mobile.evaluate((input) => input === input.ownerDocument.activeElement))
      .toBe(true);

    // What others change elsewhere is in nobody's way.
    await workspace.client.patch(`/companies/${orgnr}`, { status: 'customer' });
    await mobile.fill('900 00 000');
    await mobile.press('Enter');
    await page.getByRole('button', { name: /Mobil.*900 00 000/ }).waitFor();
    await page.getByRole('button', { name: /Status.*Kunde/ }).waitFor();
  });

  test('says where it is missing that the register does not answer, and asks again', async () => {
    const workspace = await world.workspace();
    const { page, open, go } = await enter(workspace);
    const register = '**/register/923609016';
    const held = Promise.withResolvers<void>();
    await page.route(register, async (route) => {
      await held.promise;
      await route.fulfill({ status: 503, json: { error: 'Down', code: 'register_unavailable' } });
    });
    await open('/companies/923609016');
    await page.locator('.skeleton').first().waitFor();
    held.resolve();
    await page.getByRole('alert').getByText('Registeret svarer ikke').waitFor();
    await page.unroute(register);
    await page.getByRole('button', { name: 'Prøv igjen' }).click();
    await page.getByRole('button', { name: 'Legg til selskapet' }).waitFor();

    await go('/companies/923609017');
    await page.getByText('923 609 017').waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('shows details that an integration has emptied as missing', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company({ mobile_number: '', phone_number: '22 22 22 22' });
    const { orgnr: other, name } = await workspace.company({ phone_number: '', mobile_number: '900 00 000' });
    const { page, open, go } = await enter(workspace);
    await open(`/companies/${orgnr}`);
    await page.getByRole('link', { name: 'Ring 22 22 22 22' }).waitFor();
    await page.getByRole('button', { name: 'Rediger Mobil: ikke fylt ut' }).press('Enter');
    await focusIn(page.getByRole('textbox', { name: 'Mobil' }));
    await page.keyboard.type('911 11 111');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Ring 911 11 111' }).waitFor();
    await workspace.client.patch(`/companies/${orgnr}`, { mobile_number: '900 11 222 / 911 22 333' });
    await page.getByRole('link', { name: 'Ring 22 22 22 22' }).waitFor();
    await go('/companies?columns=phone,website');
    await page.getByRole('row', { name }).getByText('900 00 000').waitFor();
    await workspace.client.patch(`/companies/${other}`, { website_url: '', mobile_number: '' });
    await expect.poll(() => page.getByRole('row', { name }).getByText('–').count()).toBe(2);
  });

  test('says in words who did what; is archived, deleted and restored; a member sees what that means', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    const { client } = workspace;
    await client.patch(`/companies/${orgnr}`, { status: 'customer', assigned_to: workspace.member.id });
    await client.patch(`/companies/${orgnr}`, { assigned_to: null });
    const browser = await workspace.signIn(workspace.member);
    for (const action of ['archive', 'unarchive']) await browser.post(`/companies/${orgnr}/${action}`, {});
    const { page, open } = await enter(workspace);
    const member = await enter(workspace, { as: workspace.member, screen: 'phone' });
    await open(`/companies/${orgnr}`);
    await member.open(`/companies/${orgnr}`);
    await expect
      .poll(() => member.page.locator('.entry-head').allTextContents())
      .toEqual(
        expect.arrayContaining([
          expect.stringContaining('Kari Nordmann hentet selskapet fra arkivet'),
          expect.stringContaining('Kari Nordmann arkiverte selskapet'),
          expect.stringContaining('Ola Nordmann fjernet Kari Nordmann som ansvarlig'),
          expect.stringContaining('Ola Nordmann gjorde Kari Nordmann ansvarlig'),
          expect.stringContaining('Ola Nordmann endret status fra Prospekt til Kunde'),
          expect.stringContaining('Ola Nordmann la til selskapet'),
        ]),
      );
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'Flere valg' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Arkiver');
    await page.getByText('Selskapet er arkivert. Det står').waitFor();
    await choose('Slett');
    await page.getByText('Integrasjoner får 404').waitFor();
    await page.getByText(/Slettet .* av Ola Nordmann/).waitFor();
    await expect.poll(async () => (await workspace.client.get(`/companies/${orgnr}`)).status).toBe(404);
    await member.page.getByText('En administrator kan gjenopprette det.').waitFor();
    await expect.poll(() => member.page.getByRole('button', { name: 'Gjenopprett' }).count()).toBe(0);
    await expect.poll(() => member.page.getByRole('textbox', { name: 'Nytt notat' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Gjenopprett' }).click();
    await page.getByText(`${name} er gjenopprettet`).waitFor();
    await member.page.getByRole('textbox', { name: 'Nytt notat' }).waitFor();
    await member.page.getByRole('button', { name: 'Flere valg' }).click();
    await expect.poll(() => member.page.getByRole('menuitem', { name: 'Slett' }).count()).toBe(0);
  });
});
