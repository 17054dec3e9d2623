import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { holdWrites } from './hold-writes.ts';
import { entrance, messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('a form that is left while it is saved', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  /** Adds a contact, goes to another page, and is back in the form before that is answered. */
  async function backBeforeAnswer() {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open, go } = await enter(workspace);
    const name = page.getByRole('textbox', { name: 'Navn' });
    const email = page.getByRole('textbox', { name: 'E-post' });
    const openForm = () => page.getByRole('button', { name: 'Ny kontakt' }).click();
    await open(`/companies/${orgnr}?tab=contacts`);
    await openForm();
    await name.fill('Kari');
    await email.fill('kari@example.no');
    const { asked, letGo } = await holdWrites(page);
    await name.press('Enter');
    await asked;
    const leave = () => go('/tasks');
    const comeBack = async () => {
      await go(`/companies/${orgnr}?tab=contacts`);
      await openForm();
    };
    await leave();
    await comeBack();
    expect(await name.inputValue()).toBe('Kari');
    const answer = async () => {
      letGo(undefined);
      await expect.poll(() => messages(page)).toContain('Kari er lagt til');
    };
    const contacts = async () => {
      const { data } = (await workspace.client.get('/contacts')).body;
      return data.map((contact: { name: string }) => contact.name).toSorted();
    };
    return { name, email, leave, comeBack, answer, contacts };
  }

  test('leaves the form that is open by then; what failed is told on another page', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const { page, open, go } = await enter(workspace);
    await open(`/contacts/${id}`);
    const add = page.getByRole('button', { name: 'Legg til e-post' });
    const field = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    await add.click();
    await field.fill('kari@example.no');
    const { asked, letGo } = await holdWrites(page);
    await field.press('Enter');
    await asked;
    await page.getByRole('button', { name: 'Avbryt' }).click();
    await add.click();
    await field.fill('kari@example.com');
    letGo(undefined);
    await page.getByRole('link', { name: 'kari@example.no' }).waitFor();
    expect(await field.inputValue()).toBe('kari@example.com');

    await page.unroute('**/app/api/**');
    const other = await holdWrites(page);
    await field.press('Enter');
    await other.asked;
    await go('/tasks');
    other.letGo(503);
    await expect.poll(() => messages(page)).toContain('Tjenesten er utilgjengelig');
  });

  test('leaves the next one of its kind, and what is typed there', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    const { page, open, go, reload } = await enter(workspace);

    /** Sends a form, gives it up, and has filled the next one when the first is answered. */
    async function fillNext(label: string, told: string): Promise<void> {
      const field = page.getByRole('textbox', { name: label });
      const { asked, letGo } = await holdWrites(page);
      await field.press('Enter');
      await asked;
      await page.keyboard.press('Escape');
      await field.waitFor({ state: 'detached' });
      await page.keyboard.press('n');
      await field.fill('Neste');
      letGo(undefined);
      await expect.poll(() => messages(page)).toContain(told);
      expect(await field.inputValue()).toBe('Neste');
      await page.unroute('**/app/api/**');
      await reload();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      await page.keyboard.press('n');
      await expect.poll(() => field.inputValue()).toBe('Neste');
    }

    await open('/offers');
    await page.getByText('Her kommer tilbudene deres').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('combobox', { name: 'Selskap' }).fill(orgnr);
    await page.getByRole('option', { name }).click();
    await page.getByRole('textbox', { name: 'Tittel' }).fill('Første');
    await fillNext('Tittel', 'Første er opprettet');

    await go(`/companies/${orgnr}?tab=contacts`);
    await page.getByRole('button', { name: 'Ny kontakt' }).click();
    await page.getByRole('textbox', { name: 'Rolle' }).fill('Innkjøper');
    await page.getByRole('textbox', { name: 'Navn' }).fill('Kari Berg');
    await fillNext('Navn', 'Kari Berg er lagt til');
    expect(await page.getByRole('textbox', { name: 'Rolle' }).inputValue()).toBe('');
  });

  test('leaves nothing of what is stored in the form that was opened with it, and the next is another', async () => {
    const { name, email, answer, contacts } = await backBeforeAnswer();
    await answer();
    await expect.poll(() => name.inputValue()).toBe('');
    expect(await email.inputValue()).toBe('');
    await name.fill('Ola');
    await name.press('Enter');
    await expect.poll(contacts).toEqual(['Kari', 'Ola']);
  });

  test('leaves in that form what was changed there', async () => {
    const { name, email, answer, contacts } = await backBeforeAnswer();
    await name.fill('Ola');
    await answer();
    await expect.poll(() => email.inputValue()).toBe('');
    expect(await name.inputValue()).toBe('Ola');
    await name.press('Enter');
    await expect.poll(contacts).toEqual(['Kari', 'Ola']);
  });

  test('leaves what was changed there also where that form has gone, too', async () => {
    const { name, email, leave, comeBack, answer, contacts } = await backBeforeAnswer();
    await name.fill('Ola');
    await leave();
    await answer();
    await comeBack();
    expect(await name.inputValue()).toBe('Ola');
    expect(await email.inputValue()).toBe('');
    await name.press('Enter');
    await expect.poll(contacts).toEqual(['Kari', 'Ola']);
  });

  test('leaves no company in the form that was opened with it', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company();
    const { page, open, go } = await enter(workspace);
    await open('/tasks');
    await go('/offers');
    const openForm = () => page.getByRole('button', { name: 'Nytt tilbud' }).first().click();
    const company = page.getByRole('combobox', { name: 'Selskap' });
    const title = page.getByRole('textbox', { name: 'Tittel' });
    await openForm();
    await company.fill(orgnr);
    await page.getByRole('option', { name }).click();
    await title.fill('Første');
    const { asked, letGo } = await holdWrites(page);
    await title.press('Enter');
    await asked;
    await page.goBack();
    await page.getByRole('heading', { name: 'Oppgaver', level: 1 }).waitFor();
    await go('/offers');
    await openForm();
    expect(await company.inputValue()).toBe(name);
    letGo(undefined);
    await expect.poll(() => messages(page)).toContain('Første er opprettet');
    await expect.poll(() => title.inputValue()).toBe('');
    expect(await company.inputValue()).toBe('');
  });

  test('leaves a key or link that nobody was shown, which is told', async () => {
    const workspace = await world.workspace();
    const { page, open, go } = await enter(workspace);
    /** Goes on before what was pressed is answered. */
    const leave = async (button: string, told: string) => {
      const { asked, letGo } = await holdWrites(page);
      await page.getByRole('button', { name: button }).click();
      await asked;
      await page.goBack();
      await page.getByRole('heading', { name: 'Oppgaver', level: 1 }).waitFor();
      letGo(undefined);
      await expect.poll(() => messages(page)).toContain(told);
      await page.unroute('**/app/api/**');
    };
    await open('/tasks');
    await go('/developers');
    await leave('Lag prøvenøkkel', 'Nøkkelen Prøvenøkkel er opprettet, men ble ikke vist');

    await go('/settings/keys');
    await page.getByRole('button', { name: 'Valg for test' }).click();
    await page.getByRole('menuitem', { name: 'Bytt …' }).click();
    await leave('Bytt nøkkel', 'test er byttet, men den nye nøkkelen ble ikke vist');

    await go('/settings/members');
    await page.getByRole('button', { name: 'Inviter' }).click();
    await page.getByRole('textbox', { name: 'E-post' }).fill('ny@example.no');
    await leave('Lag lenke', 'Lenken til ny@example.no er laget, men ble ikke vist');
  });
});
