import { describe, expect, test } from 'vitest';
import { axe, CHROMIUM, useBrowser } from '../browser.ts';
import { createWorld } from '../world.ts';
import { enter } from './enter.ts';

const world = await createWorld();
const browsers = { world, visit: useBrowser() };

describe.skipIf(CHROMIUM === undefined)('the page for developers', () => {
  test('a first call is tried from the page for developers', async () => {
    const workspace = await world.workspace();
    const { page, open } = await enter(browsers, workspace, { person: workspace.member });
    await open('/developers');
    expect(await axe(page)).toEqual([]);
    await page.getByText(`${world.origin}/api/v1`, { exact: true }).waitFor();
    await page.getByText(workspace.id).waitFor();
    await page.getByRole('button', { name: 'Lag prøvenøkkel' }).click();
    const panel = page.getByRole('region', { name: 'Nøkkelen Prøvenøkkel er opprettet' });
    const client = world.client((await panel.locator('code').first().textContent())!);
    await expect.poll(async () => (await client.get('/companies')).status).toBe(200);
    await expect.poll(async () => (await client.post('/contacts', { name: 'x' })).status).toBe(403);
    expect(await axe(page)).toEqual([]);
  });
});
