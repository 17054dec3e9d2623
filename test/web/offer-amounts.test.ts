import { describe, expect, test } from 'vitest';
import { CHROMIUM, useBrowser } from '../browser.ts';
import { createWorld } from '../world.ts';
import { entrance } from './offer-board.ts';

describe.skipIf(CHROMIUM === undefined)('an amount of an offer', async () => {
  const world = await createWorld();
  const enter = entrance(world, useBrowser());

  async function visitOffer() {
    const workspace = await world.workspace();
    const { id } = await workspace.offer({ one_time_revenue: 100 });
    const visited = await enter(workspace);
    await visited.open(`/offers/${id}`);
    await visited.page.getByRole('button', { name: 'Rediger Engangs' }).click();
    const field = visited.page.getByRole('textbox', { name: 'Engangs' });
    await field.waitFor();
    const amount = async () => (await workspace.client.get(`/offers/${id}`)).body.data.one_time_revenue;
    return { ...visited, workspace, id, field, amount };
  }

  test('that was only looked at is not set back to what it was', async () => {
    const { page, workspace, id, field, amount } = await visitOffer();
    await workspace.client.patch(`/offers/${id}`, { one_time_revenue: 900, title: 'Ny avtale' });
    await page.getByRole('heading', { name: 'Ny avtale' }).waitFor();
    await field.press('Tab');
    await page.getByRole('button', { name: 'Rediger Engangs' }).getByText('900').waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect(await amount()).toBe(900);
  });

  test('that another has changed meanwhile is seen before it is written over', async () => {
    const { page, workspace, id, field, amount } = await visitOffer();
    await field.fill('700');
    await workspace.client.patch(`/offers/${id}`, { one_time_revenue: 900, title: 'Ny avtale' });
    await page.getByRole('heading', { name: 'Ny avtale' }).waitFor();
    await field.press('Tab');
    await page.getByText('Noen andre har endret dette imens').waitFor();
    expect(await amount()).toBe(900);
    await field.press('Enter');
    await expect.poll(amount).toBe(700);
  });

  test('is saved when its page is left', async () => {
    const { page, field, go, amount } = await visitOffer();
    await field.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('700');
    await go('/tasks');
    await expect.poll(amount).toBe(700);
  });
});
