import { describe, expect, test } from 'vitest';
import type { Locator } from 'playwright-core';
import { axe, focusIn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld, type Workspace } from '../world.ts';

const world = await createWorld();
const visit = useBrowser();

async function enter(workspace: Workspace) {
  const visited = await visit(world.origin);
  const value = await workspace.sessionOf();
  await visited.page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
  return visited;
}

/** Where the addresses and numbers in a row lead. */
function hrefsIn(row: Locator) {
  return row.evaluate((one) =>
    [...one.querySelectorAll('a[href^="mailto:"], a[href^="tel:"]')].map((link) => link.getAttribute('href')),
  );
}

describe.skipIf(CHROMIUM === undefined)('a contact', () => {
  test('is said not to be there at an address that was cut, with a way on', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(workspace);
    await open('/contacts/123');
    await page.getByRole('heading', { name: 'Kontakten finnes ikke lenger' }).waitFor();
    expect(await page.getByRole('link', { name: 'Til kontaktene' }).count()).toBe(1);
  });

  test('has details that are added, corrected, removed and brought back, by keys alone', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const values = async () =>
      (await workspace.client.get(`/contacts/${id}/points`)).body.data.map(
        ({ value }: { value: string }) => value,
      );
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.getByRole('button', { name: 'Legg til e-post' }).focus();
    await page.keyboard.press('Enter');
    await focusIn(page.getByLabel('Adresse eller nummer'));
    await page.keyboard.type('kari@example');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'kari@example' }).waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: 'kari@example' }).getAttribute('href'))
      .toBe('mailto:kari@example');
    await expect.poll(focused).toContain('Legg til e-post');
    await page.getByRole('button', { name: 'Rediger kari@example' }).focus();
    await page.keyboard.press('Enter');
    await focusIn(page.getByLabel('Adresse eller nummer'));
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Rediger kari@example');
    await page.keyboard.press('Enter');
    await focusIn(page.getByLabel('Adresse eller nummer'));
    await page.keyboard.press('End');
    await page.keyboard.type('.no');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'kari@example.no' }).waitFor();
    await page.getByRole('button', { name: 'Fjern kari@example.no' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('kari@example.no er fjernet').waitFor();
    await expect.poll(values).toEqual([]);
    await page.getByRole('button', { name: 'Angre' }).press('Enter');
    await expect.poll(values).toEqual(['kari@example.no']);
    await page.getByRole('link', { name: 'kari@example.no' }).waitFor();
  });

  test('links its addresses and numbers to what they say, and no text that is not one number', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const links = [
      ['email', 'kari?bcc=ola@example.no', 'mailto:kari%3Fbcc%3Dola@example.no'],
      ['telephone', '+47 (0)22 33 44 55', 'tel:+4722334455'],
      ['telephone', '22\u00A022 22 22 (sentralbord)', 'tel:22222222'],
      ['mobile', '22 33 44 55 / 900 11 222', null],
      ['mobile', 'sentralbordet', null],
    ] as const;
    for (const [type, value] of links) await workspace.client.post(`/contacts/${id}/points`, { type, value });
    const company = await workspace.company();
    await workspace.client.post(`/contacts/${id}/companies`, { company_id: company.id, role: null });
    const other = await workspace.contact({ name: 'Ola Nordmann' });
    const unlinked = { type: 'telephone', value: '22 33 44 55 / 900 11 222' };
    await workspace.client.post(`/contacts/${other.id}/points`, unlinked);
    const { page, open, go } = await enter(workspace);
    await open(`/contacts/${id}`);
    const texts = page.locator('.contact-row-text > :first-child');
    await expect.poll(() => texts.count()).toBe(links.length + 1);
    const shown = await texts.evaluateAll((all) =>
      all.map((one) => [one.textContent, one.getAttribute('href')]),
    );
    expect(shown.slice(0, links.length)).toEqual(links.map(([, value, href]) => [value, href]));
    const hrefs = ['mailto:kari%3Fbcc%3Dola@example.no', 'tel:+4722334455'];
    await go('/contacts');
    const row = (name: string) => page.getByRole('row', { name });
    await row('Ola Nordmann').waitFor();
    expect(await hrefsIn(row('Kari Nordmann'))).toEqual(hrefs);
    expect(await hrefsIn(row('Ola Nordmann'))).toEqual([]);
    await row('Ola Nordmann').getByText(unlinked.value).waitFor();
    await go(`/companies/${company.orgnr}?tab=contacts`);
    await page.getByRole('link', { name: '+47 (0)22' }).waitFor();
    expect(await hrefsIn(page.locator('.company-row'))).toEqual(hrefs);
  });

  test('shows what somebody else wrote before it is overwritten; a new detail is no conflict', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann', notes: 'Gammelt' });
    const path = `/contacts/${id}`;
    const { page, open } = await enter(workspace);
    // No news from the server: what the page shows stays as it was read.
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    await open(path);
    const long = 'Å'.repeat(255);
    const heading = page.getByRole('heading', { level: 1 });
    await page.getByRole('button', { name: 'Rediger Navn' }).click();
    await focusIn(page.getByRole('textbox', { name: 'Navn' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type(long);
    await page.keyboard.press('Enter');
    await expect.poll(() => heading.textContent()).toBe(long);
    const cut = "document.querySelector('h1').scrollWidth - document.querySelector('h1').clientWidth";
    expect(await page.evaluate(cut)).toBe(0);
    await page.getByRole('button', { name: 'Rediger Navn' }).click();
    await focusIn(page.getByRole('textbox', { name: 'Navn' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Kari Nordmann');
    await page.keyboard.press('Enter');
    await expect.poll(() => heading.textContent()).toBe('Kari Nordmann');
    await page.getByRole('button', { name: 'Rediger Navn' }).click();
    await workspace.client.post(`${path}/points`, { type: 'mobile', value: '900 11 222' });
    await page.keyboard.type(' Berg');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Kari Nordmann Berg' }).waitFor();

    await page.getByRole('button', { name: 'Rediger Notater' }).click();
    await workspace.client.patch(path, { notes: 'Skrevet av en annen' });
    await page.keyboard.type(' og mitt');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Lagre igjen for å bruke ditt i stedet for: Skrevet av en annen').waitFor();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Notater' }).inputValue())
      .toBe('Gammelt og mitt');
    await expect
      .poll(async () => (await workspace.client.get(path)).body.data.notes)
      .toBe('Skrevet av en annen');
    await page.getByRole('textbox', { name: 'Notater' }).press('Control+Enter');
    await expect.poll(async () => (await workspace.client.get(path)).body.data.notes).toBe('Gammelt og mitt');
  });

  test('shows the number and the role that somebody else wrote before they are overwritten', async () => {
    const workspace = await world.workspace();
    const { id } = await workspace.contact({ name: 'Kari Nordmann' });
    const path = `/contacts/${id}`;
    const { id: company_id, name } = await workspace.company();
    const point = { type: 'mobile', value: '900 11 222', label: 'jobb' };
    const added = await workspace.client.post(`${path}/points`, point);
    const linked = await workspace.client.post(`${path}/companies`, { company_id, role: 'Innkjøper' });
    const { page, open } = await enter(workspace);
    await page.route('**/app/api/changes?*wait=25*', () => undefined);
    await open(path);

    async function correct(row: string, label: string, mine: string, others: () => Promise<unknown>) {
      await page.getByRole('button', { name: `Rediger ${row}` }).click();
      const field = page.getByRole('textbox', { name: label });
      await field.fill(mine);
      // A change of anything else is no conflict.
      await workspace.client.patch(path, { notes: mine });
      await others();
      await field.press('Enter');
      await page.getByText('Noen andre har endret dette imens').waitFor();
      expect(await field.inputValue()).toBe(mine);
    }
    const get = async (what: string) => (await workspace.client.get(`${path}/${what}`)).body.data[0];

    const number = 'Adresse eller nummer';
    await correct('900 11 222', number, '900 11 333', () =>
      workspace.client.patch(`${path}/points/${added.body.data.id}`, { value: '900 11 444' }),
    );
    await page.getByText('i stedet for: 900 11 444, Mobil, jobb').waitFor();
    expect(await get('points')).toMatchObject({ value: '900 11 444' });
    await page.getByRole('textbox', { name: number }).press('Enter');
    await page.getByRole('button', { name: 'Rediger 900 11 333' }).waitFor();
    expect(await get('points')).toMatchObject({ value: '900 11 333', label: 'jobb' });

    await correct(name, 'Rolle', 'Innkjøpssjef', () =>
      workspace.client.patch(`${path}/companies/${linked.body.data.id}`, { role: 'Daglig leder' }),
    );
    await page.getByText('i stedet for: Daglig leder').waitFor();
    expect(await get('companies')).toMatchObject({ role: 'Daglig leder' });
    await page.getByRole('textbox', { name: 'Rolle' }).press('Enter');
    await expect.poll(() => get('companies')).toMatchObject({ role: 'Innkjøpssjef' });
  });

  test('has notes that are left as they were stored when they were only looked at', async () => {
    const workspace = await world.workspace();
    const notes = ' Ring før ti\r\nikke etter ';
    const { id } = await workspace.contact({ name: 'Kari Nordmann', notes });
    const { page, open } = await enter(workspace);
    await open(`/contacts/${id}`);
    const writes: string[] = [];
    page.on('request', (request) => void (request.method() !== 'GET' && writes.push(request.url())));
    const field = page.getByRole('textbox', { name: 'Notater' });
    for (const key of ['Tab', 'Control+Enter']) {
      await page.getByRole('button', { name: 'Rediger Notater' }).click();
      await field.press(key);
      await field.waitFor({ state: 'detached' });
    }
    expect(writes).toEqual([]);
    expect((await workspace.client.get(`/contacts/${id}`)).body.data.notes).toBe(notes);
  });
});
