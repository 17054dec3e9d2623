import { describe, expect, test } from 'vitest';
import { axe, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';

const world = await createWorld();
const visit = useBrowser();

/** The focus moves within some frames. */
const FRAMES = `new Promise((done) => {
  const wait = (frames) => requestAnimationFrame(() => (frames ? wait(frames - 1) : done()));
  wait(3);
})`;

async function enter(workspace: Workspace) {
  const visited = await visit(world.origin);
  const value = await workspace.sessionOf();
  await visited.page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
  return visited;
}

describe.skipIf(CHROMIUM === undefined)('a contact', () => {
  test('keeps what is typed of one detail or company while others are opened and removed', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const numbers = ['900 11 222', '900 11 333', '900 11 444'];
    for (const value of numbers)
      await workspace.client.post(`/contacts/${id}/points`, { type: 'mobile', value });
    const companies = [await workspace.company(), await workspace.company()];
    for (const { id: company_id } of companies)
      await workspace.client.post(`/contacts/${id}/companies`, { company_id, role: 'Innkjøper' });
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    const press = (name: string) => page.getByRole('button', { name }).click();
    const values = (name: string) =>
      page.getByRole('textbox', { name }).evaluateAll((all) => all.map(({ value }) => value));

    const number = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    await press('Rediger 900 11 222');
    await number.fill('900 11 555');
    await press('Legg til e-post');
    await number.last().fill('kari@example.no');
    await press('Fjern 900 11 333');
    await page.getByText('900 11 333 er fjernet').waitFor();
    await press('Rediger 900 11 444');
    await expect
      .poll(() => values('Adresse eller nummer'))
      .toEqual(['900 11 555', '900 11 444', 'kari@example.no']);
    await number.first().press('Enter');
    await page.getByRole('button', { name: 'Rediger 900 11 555' }).waitFor();
    expect(await values('Adresse eller nummer')).toEqual(['900 11 444', 'kari@example.no']);

    await press(`Rediger ${companies[0].name}`);
    await page.getByRole('textbox', { name: 'Rolle' }).fill('Styreleder');
    await press(`Fjern ${companies[1].name}`);
    await page.getByRole('button', { name: `Fjern ${companies[1].name}` }).waitFor({ state: 'detached' });
    expect(await values('Rolle')).toEqual(['Styreleder']);
  });

  test('is unlinked from a deleted company only after a question, because that cannot be undone', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const { id: company_id, orgnr, name } = await workspace.company();
    await workspace.client.post(`/contacts/${id}/companies`, { company_id, role: 'Daglig leder' });
    await workspace.deleteCompany(orgnr);
    const links = async () => (await workspace.client.get(`/contacts/${id}/companies`)).body.data.length;
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    await page.getByText('Slettet selskap').waitFor();
    const remove = page.getByRole('button', { name: `Fjern ${name}` });
    await remove.click();
    const dialog = page.getByRole('alertdialog', { name: `Fjerne tilknytningen til ${name}?` });
    await dialog.getByText('Tilknytningen kommer ikke tilbake').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await links()).toBe(1);
    await remove.click();
    await dialog.getByRole('button', { name: `Fjern ${name}` }).click();
    await page.getByText(`Ikke lenger knyttet til ${name}`).waitFor();
    await expect.poll(links).toBe(0);
    expect(await page.getByRole('button', { name: 'Angre' }).count()).toBe(0);
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
  });

  test('keeps the form of a detail or company that somebody else removes, which adds it again', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const path = `/contacts/${id}`;
    const company = await workspace.company();
    const add = async (what: string, body: object) =>
      (await workspace.client.post(`${path}/${what}`, body)).body.data.id;
    const first = await add('points', { type: 'mobile', value: '900 11 222', label: 'jobb' });
    await add('points', { type: 'mobile', value: '900 11 333' });
    const link = await add('companies', { company_id: company.id, role: 'Innkjøper' });
    const { page, open } = await enter(workspace);
    await open(path);
    const number = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    const role = page.getByRole('textbox', { name: 'Rolle' });
    const gone = page.getByText('Noen andre har fjernet dette imens');
    await page.getByRole('button', { name: `Rediger ${company.name}` }).click();
    await role.fill('Styreleder');
    await page.getByRole('button', { name: 'Rediger 900 11 222' }).click();
    await number.fill('900 11 55');
    await workspace.client.delete(`${path}/points/${first}`);
    await workspace.client.delete(`${path}/companies/${link}`);
    await expect.poll(() => gone.count()).toBe(2);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '900 11 555' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Legg til e-post');
    expect(await role.inputValue()).toBe('Styreleder');
    await role.press('Enter');
    await role.waitFor({ state: 'detached' });
    const get = async (what: string) => (await workspace.client.get(`${path}/${what}`)).body.data;
    expect(await get('points')).toMatchObject([
      { value: '900 11 333' },
      { value: '900 11 555', label: 'jobb' },
    ]);
    expect(await get('companies')).toMatchObject([{ company_id: company.id, role: 'Styreleder' }]);
  });

  test('leaves the focus in the form that is typed into while another is saved', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    for (const value of ['900 11 222', '900 11 333'])
      await workspace.client.post(`/contacts/${id}/points`, { type: 'mobile', value });
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    const number = page.getByRole('textbox', { name: 'Adresse eller nummer' });
    for (const value of ['900 11 222', '900 11 333'])
      await page.getByRole('button', { name: `Rediger ${value}` }).click();
    const held = Promise.withResolvers<void>();
    await page.route('**/points/*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await number.first().fill('900 11 555');
    await number.first().press('Enter');
    await number.last().fill('900 11 666');
    held.resolve();
    const edit = page.getByRole('button', { name: 'Rediger 900 11 555' });
    await edit.waitFor();
    await page.evaluate(FRAMES);
    await page.keyboard.type('7');
    expect(await number.inputValue()).toBe('900 11 6667');
    await number.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Rediger 900 11 333');
  });
});
