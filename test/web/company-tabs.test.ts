import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';

async function loseAnswer(route: Route) {
  await route.fetch();
  await route.abort();
}

describe.skipIf(CHROMIUM === undefined)('the tabs of a company', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function enter(workspace: Workspace) {
    const token = await workspace.sessionOf();
    const { page, open } = await visit(world.origin);
    await page.context().addCookies([{ name: 'kundebok_session', value: token, url: world.origin }]);
    return { page, open };
  }

  test.each(['nb', 'en'] as const)(
    'get a new contact, a task and an offer in place, in %s',
    async (language) => {
      const workspace = await world.workspace();
      await world.query('update users set language = $2 where id = $1', [workspace.owner.id, language]);
      const { id, orgnr } = await workspace.company();
      const { page, open } = await enter(workspace);
      await open(`/companies/${orgnr}?tab=contacts`);
      const say = (nb: string, en: string) => (language === 'nb' ? nb : en);
      await page.getByRole('button', { name: say('Ny kontakt', 'New contact') }).waitFor();
      await page.keyboard.press('n');
      await page.getByLabel(say('Navn', 'Name')).fill('Åse Ødegård');
      await page.getByLabel(say('Rolle', 'Role')).fill('Innkjøper');
      await page.getByLabel(say('E-post', 'Email'), { exact: true }).fill('aase@example.no');
      await page.getByLabel(say('Telefon', 'Telephone')).fill('22 33 44 55');
      // All of it is stored, and the last answer lost.
      await page.route('**/app/api/contacts/*/companies', loseAnswer, { times: 1 });
      await page.keyboard.press('Enter');
      await page
        .getByText(say('Kontakten er lagret, men ikke alt', 'The contact is saved, but not every'))
        .waitFor();
      await page.getByLabel(say('E-post', 'Email'), { exact: true }).fill('aase@nordlys.no');
      await page.getByLabel(say('Rolle', 'Role')).fill('Daglig leder');
      await page.getByLabel(say('Rolle', 'Role')).press('Enter');
      const contact = page.getByRole('listitem').filter({ hasText: 'Åse Ødegård' });
      await contact.getByText('Daglig leder').waitFor();
      await contact.getByRole('link', { name: 'aase@nordlys.no' }).waitFor();
      const [{ points, links }] = (await workspace.client.get('/contacts?include=points,links')).body.data;
      expect(points).toMatchObject([{ value: 'aase@nordlys.no' }, { value: '22 33 44 55' }]);
      expect(links).toMatchObject([{ company_id: id, role: 'Daglig leder' }]);
      await page.getByRole('link', { name: say('Kontakter 1', 'Contacts 1') }).waitFor();

      const other = await workspace.contact({ name: 'Kari Berg' });
      const linking = page.getByRole('button', { name: say('Knytt til en kontakt', 'Link a contact') });
      await linking.press('Enter');
      const whom = page.getByRole('combobox', { name: say('Kontakt', 'Contact') });
      await whom.fill('kari');
      await page.getByRole('option', { name: 'Kari Berg' }).waitFor();
      // The list closes first, then the form.
      await page.keyboard.press('Escape');
      await page.getByRole('option').waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await whom.waitFor({ state: 'detached' });
      await expect
        .poll(() => page.evaluate('document.activeElement.textContent'))
        .toBe(say('Knytt til en kontakt', 'Link a contact'));
      await linking.press('Enter');
      await whom.fill('kari berg');
      // The list from before the text was typed may still be there; its options can no longer be chosen.
      const offered = async () => {
        await page.keyboard.press('ArrowDown');
        return whom.getAttribute('aria-activedescendant');
      };
      await expect.poll(offered, { interval: 200 }).not.toBeNull();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: say('Legg til', 'Add'), exact: true }).press('Enter');
      await page.getByRole('listitem').filter({ hasText: 'Kari Berg' }).waitFor();
      await expect
        .poll(async () => (await workspace.client.get(`/contacts/${other.id}/companies`)).body.data)
        .toMatchObject([{ company_id: id, role: null }]);

      await page
        .getByRole('link', { name: say('Oppgaver', 'Tasks') })
        .last()
        .click();
      await page.getByRole('button', { name: say('Ny oppgave', 'New task') }).click();
      await page.getByLabel(say('Hva skal gjøres', 'What is to be done')).fill('Send avtalen');
      await page.keyboard.press('Enter');
      const tasks = async () => (await workspace.client.get(`/tasks?company_id=${id}`)).body.data;
      // Edited where it stands, as in the list of tasks.
      await page.getByRole('row', { name: 'Send avtalen' }).press('Enter');
      await page
        .getByRole('button', {
          name: say('Rediger Beskrivelse: ikke fylt ut', 'Edit Description: not filled in'),
        })
        .press('Enter');
      await focusIn(page.getByRole('textbox', { name: say('Beskrivelse', 'Description') }));
      await page.keyboard.type('Side 2');
      await page.keyboard.press('Control+Enter');
      await expect.poll(async () => (await tasks())[0].description).toBe('Side 2');
      await page
        .getByRole('button', { name: say('Lukk', 'Close'), exact: true })
        .first()
        .press('Enter');
      const task = page.getByRole('checkbox', { name: `${say('Fullfør', 'Complete')} Send avtalen` });
      await task.press('Space');
      await task.waitFor({ state: 'detached' });
      await expect
        .poll(tasks)
        .toMatchObject([{ title: 'Send avtalen', completed: true, has_time_specified: false }]);
      // Its message takes the place of the one that undoes adding the task.
      await page.getByText(say('Fullført: Send avtalen', 'Completed: Send avtalen')).waitFor();
      await page
        .getByRole('button', { name: say('Angre', 'Undo') })
        .last()
        .press('Enter');
      await task.waitFor();

      await page
        .getByRole('link', { name: say('Tilbud', 'Offers') })
        .last()
        .click();
      await page.getByRole('button', { name: say('Nytt tilbud', 'New offer') }).waitFor();
      await page.keyboard.press('n');
      await page.getByLabel(say('Hva tilbudet gjelder', 'What the offer is about')).fill('Serviceavtale');
      await page.getByLabel(say('Engangsbeløp', 'One-time amount')).fill('50000');
      await page.keyboard.press('Enter');
      await page.getByText(say('50 000 kr', 'NOK 50,000')).waitFor();
    },
  );

  test('say that the due date of a new task cannot be read for as long as that is so', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}?tab=tasks`);
    await page.getByRole('button', { name: 'Ny oppgave' }).click();
    await page.getByLabel('Hva skal gjøres').fill('Ring');
    const due = page.getByRole('textbox', { name: 'Frist' });
    await due.fill('xx');
    await due.press('Enter');
    await page.getByRole('alert').waitFor();
    await due.fill('i morgen');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(await due.getAttribute('aria-invalid')).toBeNull();
  });

  test('say of a task that it is overdue, in words', async () => {
    const workspace = await world.workspace();
    const { id, orgnr } = await workspace.company();
    const due_date = new Date(Date.now() - 60 * 86_400_000).toISOString();
    await workspace.task({ title: 'Ring', related_company_id: id, due_date, has_time_specified: false });
    const { page, open } = await enter(workspace);
    await open(`/companies/${orgnr}?tab=tasks`);
    await expect.poll(() => page.getByRole('row', { name: /Ring .*forfalt/ }).count()).toBe(1);
  });
});
