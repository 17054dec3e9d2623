import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';

describe.skipIf(CHROMIUM === undefined)('pages and what others wrote', async () => {
  const world = await createWorld();
  const visit = useBrowser();
  const script = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';

  test('what somebody wrote is text wherever it is shown', async () => {
    const workspace = await world.workspace();
    const company = await workspace.company();
    const contact = await workspace.contact({ name: `Kari ${script}`, notes: script });
    await workspace.client.post(`/contacts/${contact.id}/companies`, {
      company_id: company.id,
      role: script,
    });
    await workspace.client.post(`/contacts/${contact.id}/points`, {
      type: 'other',
      value: script,
      label: script,
    });
    await workspace.client.post(`/companies/${company.orgnr}/notes`, { text: script });
    await workspace.client.patch(`/companies/${company.orgnr}`, {
      website_url: 'javascript:window.attacked=1',
    });
    await workspace.task({ title: script, description: script, related_company_id: company.id });
    const offer = await workspace.offer({ title: script, description: script, company_id: company.id });
    const token = await workspace.sessionOf();

    const { page, open, go } = await visit(world.origin);
    await page.context().addCookies([{ name: 'kundebok_session', value: token, url: world.origin }]);
    const paths = [
      '/',
      '/companies',
      `/companies/${company.orgnr}`,
      '/contacts',
      `/contacts/${contact.id}`,
      '/tasks',
      '/offers',
      `/offers/${offer.id}`,
      `/search?q=${encodeURIComponent(script)}`,
      '/settings/history',
    ];
    await open('/shortcuts');
    for (const path of paths) {
      await go(path);
      // A page waits for changes all the time: it is there once nothing is a skeleton any more.
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      expect([path, await page.evaluate('window.attacked')]).toEqual([path, undefined]);
      expect([path, await page.locator('a[href^="javascript:"], img[src="x"]').count()]).toEqual([path, 0]);
    }
  });
});
