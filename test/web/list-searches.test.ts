import { describe, expect, test } from 'vitest';
import { pressInTurn, useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const visit = useBrowser();

describe.skipIf(CHROMIUM === undefined)('the way back to a list', () => {
  test('leads to it as it was shown last, by link, key and palette; on the list itself, it clears the filters', async () => {
    const workspace = await world.workspace();
    const { orgnr, name } = await workspace.company({ status: 'customer' });
    await workspace.offer({ title: 'Min' });
    const { id } = await workspace.offer({ title: 'Hennes', user_id: workspace.member.id });
    const { page, open } = await enter({ world, visit }, workspace);
    const places = page.getByRole('navigation', { name: 'Hovedmeny' });
    const place = (label: string) => places.getByRole('link', { name: label });
    const address = async (of: string) => {
      await expect.poll(() => page.url().replace(world.origin, '')).toBe(of);
      // The page before may still be shown, with its own keys and links.
      const name = of.startsWith('/offers') ? 'Tilbud' : 'Selskaper';
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    };
    await open('/offers');
    await page.getByRole('button', { name: 'Eier', exact: true }).click();
    await page.getByRole('menuitemradio', { name: /^Kari/ }).click();
    const hers = `/offers?user_id=${workspace.member.id}`;
    await address(hers);
    await page.locator('.offer-card-title').filter({ hasText: 'Hennes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Hennes' }).waitFor();
    // On the page of one offer, too, the link to offers is the current one.
    await expect.poll(() => place('Tilbud').getAttribute('aria-current')).toBe('page');
    await workspace.client.patch(`/offers/${id}`, { title: 'Hennes nå' });
    await page.getByRole('heading', { level: 1, name: 'Hennes nå' }).waitFor();
    const asking = page.waitForRequest('**/offers/board?**');
    await place('Tilbud').hover();
    expect(new URL((await asking).url()).searchParams.get('user_id')).toBe(workspace.member.id);
    await place('Tilbud').click();
    await address(hers);
    await expect.poll(() => page.locator('.offer-card-title').allTextContents()).toEqual(['Hennes nå']);
    expect(await place('Tilbud').getAttribute('aria-current')).toBe('page');

    await place('Selskaper').click();
    await address('/companies');
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('menuitemradio', { name: 'Kunde', exact: true }).click();
    await address('/companies?status=customer');
    await page.getByRole('row', { name }).click();
    await page.waitForURL(`**/companies/${orgnr}`);
    await pressInTurn(page, 'g o');
    await address(hers);
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('selskaper');
    await page.getByRole('menuitem', { name: /^Selskaper/ }).waitFor();
    await page.keyboard.press('Enter');
    await address('/companies?status=customer');

    await place('Selskaper').click();
    await address('/companies');
    await pressInTurn(page, 'g o');
    await address(hers);
    await pressInTurn(page, 'g o');
    await address('/offers');
    await place('Hjem').click();
    await place('Selskaper').click();
    await address('/companies');
  });

  test('is forgotten when somebody else signs in', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/tasks?who=all');
    const tasks = page.getByRole('navigation', { name: 'Hovedmeny' }).getByRole('link', { name: 'Oppgaver' });
    await pressInTurn(page, 'g h');
    await expect.poll(() => tasks.getAttribute('href')).toBe('/tasks?who=all');
    await page.getByRole('button', { name: /^Ola/ }).click();
    await page.getByRole('menuitem', { name: 'Logg ut' }).click();
    await page.waitForURL('**/sign-in');
    const value = await workspace.sessionOf(workspace.member);
    await page.context().addCookies([{ name: 'kundebok_session', value, url: world.origin }]);
    await page.goBack();
    await expect.poll(() => tasks.getAttribute('href')).toBe('/tasks');
  });
});
