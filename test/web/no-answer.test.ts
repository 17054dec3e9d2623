import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.ts';
import { CHROMIUM } from '../chromium.ts';
import { createWorld } from '../world.ts';
import { enter as enterIn } from './enter.ts';

/** What a page does to `fetch` and to time limits; runs in the browser. */
const CUT_OFF = `
  const { fetch } = window;
  let isLost = false;
  window.fetch = async (address, options) => {
    const response = await fetch(address, options);
    if (isLost || options?.method !== 'POST' || !String(address).endsWith('/notes')) return response;
    isLost = true;
    const body = new ReadableStream({ pull: (part) => part.error(new TypeError('network error')) });
    return new Response(body, { status: response.status, headers: response.headers });
  };`;
const EXPIRE = `
  const limits = [];
  AbortSignal.timeout = () => {
    const limit = new AbortController();
    limits.push(limit);
    return limit.signal;
  };
  window.expire = () => limits.forEach((limit) => limit.abort(new DOMException('late', 'TimeoutError')));`;

/** The next request for `path` gets no answer. @returns `asked`, which resolves once it was sent */
async function keepWaiting(page: Page, path: RegExp): Promise<{ asked: Promise<unknown> }> {
  const asked = page.waitForRequest(path);
  let isLost = false;
  await page.route(path, (route) => {
    if (isLost) return route.continue();
    isLost = true;
    return undefined;
  });
  return { asked };
}

/** Tries again what the page says was not answered. */
async function tryAgain(page: Page): Promise<void> {
  await page.getByText('Får ikke kontakt').waitFor();
  await page.getByRole('textbox', { name: 'Nytt notat' }).press('Control+Enter');
}

describe.skipIf(CHROMIUM === undefined)('an answer', async () => {
  const world = await createWorld();
  const visit = useBrowser();

  async function visitCompany(script: string) {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const note = (text: string) => workspace.client.post(`/companies/${orgnr}/notes`, { text });
    await note('Møte');
    const { page, open, runFirst } = await enterIn({ world, visit }, workspace);
    await runFirst(script);
    await open(`/companies/${orgnr}`);
    await page.getByText('Møte').waitFor();
    const field = page.getByRole('textbox', { name: 'Nytt notat' });
    const notes = async () => (await workspace.client.get('/notes')).body.data.length;
    const write = async (text: string) => {
      await field.fill(text);
      await field.press('Control+Enter');
    };
    return { page, field, note, notes, write };
  }

  test('that is cut off counts as none: what was sent can be sent again', async () => {
    const { page, field, notes, write } = await visitCompany(CUT_OFF);
    await write('Ringte');
    await tryAgain(page);
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await notes()).toBe(2);
  });

  test('in HTML, as of a proxy, counts as none, though its status says that all went well', async () => {
    const { page, field, notes, write } = await visitCompany('');
    const maintenance = { status: 200, contentType: 'text/html', body: '<h1>Vedlikehold</h1>' };
    await page.route('**/app/api/companies/*/notes', (route) => route.fulfill(maintenance));
    await write('Ringte');
    await page.getByText('Får ikke kontakt').waitFor();
    expect(await field.inputValue()).toBe('Ringte');
    await page.unroute('**/app/api/companies/*/notes');
    await tryAgain(page);
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await notes()).toBe(2);

    await page.route('**/app/api/contacts/rows?*', (route) => route.fulfill(maintenance));
    await page.getByRole('link', { name: 'Kontakter', exact: true }).first().click();
    const failure = page.getByRole('main').getByRole('alert').getByText('Får ikke kontakt');
    await failure.waitFor();
  });

  test('that never comes is not waited for without end', async () => {
    const { page, field, notes, write } = await visitCompany(EXPIRE);
    const { asked } = await keepWaiting(page, /\/notes$/);
    await write('Ringte');
    await asked;
    await page.evaluate('expire()');
    await tryAgain(page);
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await notes()).toBe(2);
  });

  test('to a wait for changes that never comes is requested again', async () => {
    const { page, note } = await visitCompany(EXPIRE);
    const { asked } = await keepWaiting(page, /\/changes\?.*wait=25/);
    await note('Ringte');
    await page.getByText('Ringte').waitFor();
    await asked;
    await note('Faktura');
    await page.evaluate('expire()');
    await expect.poll(() => page.getByText('Faktura').count()).toBe(1);
  });
});
