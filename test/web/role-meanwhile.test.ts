import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

describe.skipIf(CHROMIUM === undefined)('the role of a member', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  test('is the one chosen last, also when that was while another was being saved', async () => {
    const workspace = await world.workspace();
    await workspace.signIn(workspace.member);
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/settings/members');
    const answered = Promise.withResolvers<void>();
    const roles: string[] = [];
    await page.route(`**/members/${workspace.member.id}`, async (route) => {
      roles.push(route.request().postDataJSON().role);
      const response = await route.fetch();
      await answered.promise;
      await route.fulfill({ response });
    });
    const role = page.getByRole('button', { name: /^Rollen til Kari/ });
    for (const name of ['Administrator', 'Eier']) {
      await role.click();
      await page.getByRole('menuitemradio', { name }).click();
      await expect.poll(() => role.textContent()).toContain(name);
    }
    await expect.poll(() => roles).toEqual(['admin']);
    answered.resolve();
    await page.getByText('Kari Nordmann er nå eier').waitFor();
    expect(roles).toEqual(['admin', 'owner']);
    // Undo goes back to the role chosen before, which the list may never have shown.
    await page.getByRole('button', { name: 'Angre' }).last().click();
    await expect.poll(() => roles).toEqual(['admin', 'owner', 'admin']);
    await page.getByText('Angret').waitFor();
    await expect.poll(() => role.textContent()).toContain('Administrator');
  });

  test('is the one chosen first when the next one is refused', async () => {
    const workspace = await world.workspace();
    await workspace.signIn(workspace.member);
    const { page, open } = await enter({ world, visit }, workspace);
    await open('/settings/members');
    const answered = Promise.withResolvers<void>();
    await page.route(`**/members/${workspace.member.id}`, async (route) => {
      await answered.promise;
      if (route.request().postDataJSON().role === 'admin') return route.continue();
      return route.fulfill({ status: 429, json: { error: 'Slow down', code: 'rate_limited' } });
    });
    const role = page.getByRole('button', { name: /^Rollen til Kari/ });
    for (const name of ['Administrator', 'Eier']) {
      await role.click();
      await page.getByRole('menuitemradio', { name }).click();
      await expect.poll(() => role.textContent()).toContain(name);
    }
    answered.resolve();
    await page.getByText('For mange forespørsler').waitFor();
    await expect.poll(() => role.textContent()).toContain('Administrator');
  });
});
