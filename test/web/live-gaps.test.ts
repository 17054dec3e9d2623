import { describe, expect, test } from 'vitest';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enterAs } from './signed-in.ts';

const WAITS = /\/app\/api\/changes\?.*wait=25/;

describe.skipIf(CHROMIUM === undefined)('no change is missed', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function visitCompany() {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const prepare = await enterAs(workspace, world.origin);
    const { page, open, runFirst } = await visit(world.origin, { prepare });
    const path = `/companies/${orgnr}`;
    const note = (text: string) => workspace.client.post(`/companies/${orgnr}/notes`, { text });
    await note('Møte');
    /** Opens another tab, which has read all that it shows. */
    const openSecond = async () => {
      const second = await page.context().newPage();
      await second.goto(path);
      await second.getByText('Møte').waitFor();
      return second;
    };
    /** Opens the company in a page that waits for changes and never gets them. Resolves once the page waits. */
    const openDeaf = async () => {
      const waits = page.waitForRequest(WAITS);
      await page.route(WAITS, () => undefined);
      await open(path);
      await waits;
    };
    return { page, open, path, note, openSecond, openDeaf, runFirst };
  }

  test('between the closing of the tab that waits for all and another’s taking over', async () => {
    const { page, note, openSecond, openDeaf } = await visitCompany();
    await openDeaf();
    const second = await openSecond();
    await note('Ringte');
    await page.close();
    await expect.poll(() => second.getByText('Ringte').count()).toBe(1);
  });

  test('while the tab that waits for all is frozen, and by it afterwards', async () => {
    const { page, note, openSecond, openDeaf } = await visitCompany();
    await openDeaf();
    const second = await openSecond();
    // A page that tests look at is never frozen: this is what the browser tells it.
    await page.evaluate("document.dispatchEvent(new Event('freeze'))");
    await note('Ringte');
    await expect.poll(() => second.getByText('Ringte').count()).toBe(1);
    await page.unroute(WAITS);
    await page.evaluate("document.dispatchEvent(new Event('resume'))");
    await second.close();
    await note('Avtalt');
    await expect.poll(() => page.getByText('Avtalt').count()).toBe(1);
  });

  test('by a tab that was frozen when the service did not answer at once where the session is', async () => {
    const { note, openSecond, openDeaf } = await visitCompany();
    await openDeaf();
    const second = await openSecond();
    await second.route('**/app/api/session', (route) => route.fulfill({ status: 503, json: {} }), {
      times: 1,
    });
    await note('Ringte');
    await second.evaluate("document.dispatchEvent(new Event('resume'))");
    await expect.poll(() => second.getByText('Ringte').count()).toBe(1);
  });

  test('while a tab is not seen, where the browser has no locks and each tab waits itself', async () => {
    const { page, open, path, note, runFirst } = await visitCompany();
    await runFirst('delete Navigator.prototype.locks');
    const see = (state: 'visible' | 'hidden') =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
    const waits = page.waitForRequest(WAITS);
    await open(path);
    await page.getByText('Møte').waitFor();
    const ended = page.waitForEvent('requestfailed', { predicate: (one) => WAITS.test(one.url()) });
    await waits;
    await see('hidden');
    await ended;
    await note('Ringte');
    await see('visible');
    await expect.poll(() => page.getByText('Ringte').count()).toBe(1);
  });

  test('after a cursor that is no longer kept, until the new one is known', async () => {
    const { page, open, path, note } = await visitCompany();
    const held = Promise.withResolvers<void>();
    const waits = page.waitForRequest(WAITS);
    await page.route(
      WAITS,
      async (route) => {
        await held.promise;
        await route.fulfill({ status: 410, json: { error: 'Expired', code: 'cursor_expired' } });
      },
      { times: 1 },
    );
    await open(path);
    await waits;
    await page.getByText('Møte').waitFor();
    await page.route(/\/app\/api\/changes\?cursor=now/, async (route) => {
      await note('Ringte');
      await route.continue();
    });
    held.resolve();
    await expect.poll(() => page.getByText('Ringte').count()).toBe(1);
  });

  test('while the first answer of a page is on its way', async () => {
    const { page, open, path, note } = await visitCompany();
    const told = page.waitForResponse(WAITS);
    await page.route(
      '**/timeline?*',
      async (route) => {
        const response = await route.fetch();
        await note('Ringte');
        await told;
        await page.evaluate('new Promise((done) => setTimeout(done))');
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await open(path);
    await expect.poll(() => page.getByText('Ringte').count()).toBe(1);
  });

  test('when it is not known at first where the changes begin', async () => {
    const { page, open, path, note } = await visitCompany();
    const begins = /\/changes\?cursor=now/;
    await page.route(begins, (route) => route.fulfill({ status: 503 }));
    await open(path);
    await page.getByText('Møte').waitFor();
    await note('Ringte');
    await page.unroute(begins);
    await expect.poll(() => page.getByText('Ringte').count()).toBe(1);
  });
});
