import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter as enterIn } from './enter.ts';
import { messages } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('what is typed into a field that is left', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const enter = (workspace: Parameters<typeof enterIn>[1]) => enterIn({ world, visit }, workspace);

  test('and was not changed leaves what another wrote meanwhile; what was is not written over it unseen', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann', notes: 'Gammelt' });
    const notes = async () => (await workspace.client.get(`/contacts/${id}`)).body.data.notes;
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    const field = page.getByRole('textbox', { name: 'Notater' });
    await page.getByRole('button', { name: 'Rediger Notater' }).click();
    await field.waitFor();
    // The heading shows that the page has heard of both.
    await workspace.client.patch(`/contacts/${id}`, { name: 'Kari Berg', notes: 'Skrevet av en annen' });
    await page.getByRole('heading', { name: 'Kari Berg' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: /Rediger Notater.*Skrevet av en annen/s }).waitFor();
    expect(await notes()).toBe('Skrevet av en annen');

    await page.getByRole('button', { name: 'Rediger Notater' }).click();
    await field.waitFor();
    await workspace.client.patch(`/contacts/${id}`, { name: 'Kari Dahl', notes: 'Nok en gang' });
    await page.getByRole('heading', { name: 'Kari Dahl' }).waitFor();
    await field.fill('Mitt');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Lagre igjen for å bruke ditt i stedet for: Nok en gang').waitFor();
    expect(await notes()).toBe('Nok en gang');
    await page.keyboard.press('Control+Enter');
    await expect.poll(notes).toBe('Mitt');
  });

  test('is not written over what another wrote meanwhile by leaving it once more or leaving the page, but by a button', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann', notes: 'Gammelt' });
    const notes = async () => (await workspace.client.get(`/contacts/${id}`)).body.data.notes;
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    const field = page.getByRole('textbox', { name: 'Notater' });
    const conflict = page.getByRole('alert').filter({ hasText: 'Lagre igjen for å bruke ditt' });
    const writeOver = async (theirs: string, mine: string) => {
      await page.getByRole('button', { name: 'Rediger Notater' }).click();
      await field.fill(mine);
      await workspace.client.patch(`/contacts/${id}`, { name: `Kari ${theirs}`, notes: theirs });
      await page.getByRole('heading', { name: `Kari ${theirs}` }).waitFor();
      await page.locator('.contact-added').click();
      await conflict.getByText(theirs).waitFor();
    };
    await writeOver('Berg', 'Mitt');
    await field.focus();
    const again = page.getByRole('button', { name: 'Lagre igjen' });
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Lagre igjen');
    expect(await field.inputValue()).toBe('Mitt');
    expect(await notes()).toBe('Berg');
    // Text that was changed since does not overwrite it either, and the button saves the text as it is then.
    await field.focus();
    await page.keyboard.type(' og Berg');
    await page.locator('.contact-added').click();
    expect(await field.inputValue()).toBe('Mitt og Berg');
    expect(await notes()).toBe('Berg');
    await again.press('Enter');
    await expect.poll(notes).toBe('Mitt og Berg');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('edit-button');
    expect(await again.count()).toBe(0);

    await writeOver('Dahl', 'Noe annet');
    const writes: string[] = [];
    page.on('request', (request) => void (request.method() === 'PATCH' && writes.push(request.url())));
    await page.getByRole('link', { name: 'Kontakter', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Kontakter' }).waitFor();
    await expect.poll(() => messages(page)).toContain('Notater: Noen andre har endret dette imens');
    expect(writes).toEqual([]);
    expect(await notes()).toBe('Dahl');
    // What the message is about is no longer in a field, so its button can save it.
    await again.click();
    await expect.poll(() => messages(page)).toContain('Notater: Lagret');
    expect(await notes()).toBe('Noe annet');
  });

  test('is not written over what another wrote meanwhile with an amount, whose page is left', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ one_time_revenue: 100 });
    const amount = async () => (await workspace.client.get(`/offers/${id}`)).body.data.one_time_revenue;
    const { page, open } = await enter(workspace);
    await open(`/offers/${id}`);
    await page.getByRole('button', { name: 'Rediger Engangs' }).click();
    const field = page.getByRole('textbox', { name: 'Engangs' });
    await field.fill('700');
    await workspace.client.patch(`/offers/${id}`, { one_time_revenue: 900, title: 'Ny' });
    await page.getByRole('heading', { name: 'Ny' }).waitFor();
    await field.press('Enter');
    await page.getByText('Noen andre har endret dette imens').waitFor();
    await field.fill('750');
    await page.getByRole('link', { name: 'Kontakter', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Kontakter' }).waitFor();
    await page.getByText('Engangs: Noen andre har endret dette imens').waitFor();
    expect(await amount()).toBe(900);
    await page.getByRole('button', { name: 'Lagre igjen' }).click();
    await expect.poll(amount).toBe(750);
  });

  test('is saved again by the button as it stands in the field, also where it cannot be', async () => {
    const workspace = await world.workspace();
    const task = await workspace.task({ title: 'Ring', due_date: '2098-01-07T12:00:00+01:00' });
    const due = async () => (await workspace.client.get(`/tasks/${task.id}`)).body.data.due_date;
    const { page, open } = await enter(workspace);
    await open('/tasks?tab=upcoming');
    await page.getByRole('row', { name: 'Ring' }).press('Enter');
    await page.getByRole('button', { name: 'Rediger Frist' }).click();
    const field = page.locator('.task-editor').getByRole('textbox', { name: 'Frist' });
    await field.fill('8.1.2098');
    await workspace.client.patch(`/tasks/${task.id}`, { title: 'Ring Kari' });
    await page.getByRole('row', { name: 'Ring Kari' }).waitFor();
    await field.press('Enter');
    const again = page.getByRole('button', { name: 'Lagre igjen' });
    await again.waitFor();
    await field.fill('8.1.2098x');
    await again.click();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await due()).toContain('2098-01-07');
    await field.fill('9.1.2098');
    await again.click();
    await expect.poll(due).toContain('2098-01-09');
  });
});
