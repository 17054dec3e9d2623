import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type CDPSession,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { CHROMIUM } from './chromium.ts';
import { slowPages } from './slow-pages.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

if (CHROMIUM === undefined) {
  process.stderr.write(
    '\nBROWSER TESTS ARE SKIPPED: no Chromium was found. Install one (on Debian: apt-get install chromium-headless-shell) or set CHROMIUM_PATH.\n\n',
  );
}

export type Visit = {
  page: Page;
  /** Goes to an address of the application and waits for its heading. */
  open: (path: string) => Promise<void>;
  /** Loads the page again, as the browser's reload button does, or a crash of the tab. */
  reload: () => Promise<void>;
  /** Goes on to another page as a link in the application does, which is less work than loading that page. */
  go: (path: string) => Promise<void>;
  /** Makes the window a phone with touch, or wide again; the page stays as it is. */
  show: (screen: Screen) => Promise<void>;
  /** Runs a script before the application's own, on every page that is loaded from now on. */
  runFirst: (script: string) => Promise<void>;
};

export type Screen = 'wide' | 'phone';

const SCREENS: Record<Screen, BrowserContextOptions> = {
  wide: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

// A page lives for seconds: what optimizing its code costs is not earned back.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--js-flags=--no-opt --no-maglev'];

/** Ends what hangs, as the limits of `vitest.config.ts` do. */
const PATIENCE_MS = 90_000;

/** One browser for all files of a worker: a start costs more than a page. It ends with the worker. */
let browser: Promise<Browser> | undefined;

/** Emptied pages of earlier tests, by kind: they have loaded the code before, and do so again with half the work. */
const left = new Map<string, Kept>();

type Kept = { page: Page; visits: number };

/** What pages leave in their process is freed late: with no end to its visits, one grew to 860 MB. */
const MAX_VISITS = 10;

type VisitOptions = Omit<BrowserContextOptions, 'screen'> & {
  screen?: Screen;
  prepare?: (page: Page) => Promise<void>;
  /** Errors that are allowed, and not required. */
  tolerated?: RegExp;
};

/**
 * A browser for a file: call it once, outside of any test. Every visit has a context of its own, or that of an
 * earlier test, emptied. A test fails on an error or a warning in the console, an uncaught error or a
 * violation of the Content-Security-Policy.
 * @param options.fresh for tests of what a browser has loaded already, and for tests that change the page for good
 */
export function useBrowser({ fresh = false } = {}): (
  origin: string,
  options?: VisitOptions,
) => Promise<Visit> {
  const endings: (() => Promise<unknown>)[] = [];
  const faults: string[] = [];
  afterEach(async () => {
    const found = faults.splice(0);
    for (const end of endings.splice(0)) await end();
    faults.length = 0;
    expect(found).toEqual([]);
  });
  return async (origin, { screen = 'wide', prepare, tolerated, ...options } = {}) => {
    const kind = JSON.stringify([origin, screen, options]);
    const kept = (!fresh && takeLeft(kind)) || {
      page: await newPage(origin, { ...SCREENS[screen], ...options }),
      visits: 0,
    };
    kept.visits += 1;
    const { page } = kept;
    const context = page.context();
    collectFaults(page, (fault) => void (tolerated?.test(fault) || faults.push(fault)));
    const scripts: { dispose(): Promise<void> }[] = [];
    let devtools: CDPSession | undefined;
    endings.push(async () => {
      await Promise.all(scripts.map((script) => script.dispose()));
      await devtools?.detach();
      // Touch, once a window that began as a phone has lost it, does not come back.
      const isUsedUp = fresh || kept.visits === MAX_VISITS || (devtools && screen === 'phone');
      const canBeLeft =
        !isUsedUp && !left.has(kind) && (await empty(page, origin, screen).catch(() => false));
      if (canBeLeft) left.set(kind, kept);
      else await context.close();
    });
    await prepare?.(page);
    return {
      page,
      async open(path) {
        await page.goto(path);
        await waitForHeading(page);
      },
      async reload() {
        await page.reload();
        await waitForHeading(page);
      },
      async go(path) {
        await page.evaluate((to) => {
          const { document, history } = globalThis as unknown as Window;
          document.querySelector('h1')!.id = 'left';
          history.pushState(null, '', to);
        }, path);
        // The heading or the field of the search takes the focus: a test that went on before that would lose its own.
        const field = '.page:has(h1:not(#left)) .search input';
        await page.locator(`h1:not(#left):focus, ${field}:focus`).waitFor();
      },
      async show(next) {
        devtools ??= await context.newCDPSession(page);
        await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: next === 'phone' });
        await page.setViewportSize(SCREENS[next].viewport!);
      },
      async runFirst(script) {
        scripts.push(await page.addInitScript(script));
      },
    };
  };
}

/** Waits for the page's commands, too: their keys work only a task later, and one pressed before that does nothing. */
async function waitForHeading(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
}

/** Waits until the focus is on an element or in it. What was just shown may not have it yet, and misses a key. */
export async function focusIn(place: Locator): Promise<void> {
  const isIn = () => place.evaluate((it) => it.contains(it.ownerDocument.activeElement));
  await expect.poll(isIn).toBe(true);
}

/** Waits for longer than the page corrects a focus that moves: after that it stays. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    const next = (left) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
    next(60);
  })`);
}

/**
 * Presses keys one after the other as one shortcut: `g o`. They are sent at once, because the application forgets the
 * first after a second.
 */
export async function pressInTurn(page: Page, keys: string): Promise<void> {
  await Promise.all(keys.split(' ').map((key) => page.keyboard.press(key)));
}

/**
 * Keeps messages: they disappear after ten seconds, which on busy cores is before a test has looked. A message that
 * disappears also moves a lost focus to the heading, which would hide that the focus was lost.
 */
const KEEP_MESSAGES = `{
  const wait = setTimeout;
  globalThis.setTimeout = (run, ms, ...rest) => (ms === 10_000 ? 0 : wait(run, ms, ...rest));
}`;

async function newPage(origin: string, options: BrowserContextOptions): Promise<Page> {
  browser ??= chromium.launch({ executablePath: CHROMIUM!, args: FLAGS });
  const started = await browser;
  const own = { baseURL: origin, locale: 'nb-NO', timezoneId: 'Europe/Oslo', ...options };
  const context = await started.newContext(own);
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(KEEP_MESSAGES);
  const slow = slowPages();
  if (slow !== undefined) await context.addInitScript(slow);
  const page = await context.newPage();
  // On busy cores, a request that follows a new route directly can miss it: 13 of 1000 did, and none after the page
  // had answered a question.
  const route = page.route.bind(page);
  page.route = async (...args) => {
    const added = await route(...args);
    await page.evaluate('0');
    return added;
  };
  return page;
}

function takeLeft(kind: string): Kept | undefined {
  const taken = left.get(kind);
  left.delete(kind);
  return taken;
}

/** Makes the page one that nobody has visited, but for the code it has. @returns whether a later test can have it */
async function empty(page: Page, origin: string, screen: Screen): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || context.pages().length > 1) return false;
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await page.emulateMedia({ reducedMotion: null });
  await page.setViewportSize(SCREENS[screen].viewport!);
  // An address of the same origin: for another, the page would get a new process, without the code.
  await page.goto(`${origin}/healthz`);
  await page.evaluate('localStorage.clear(); sessionStorage.clear();');
  // The pointer is over no element.
  await page.mouse.move(-1, -1);
  await context.clearCookies();
  return true;
}

/** What axe finds on the page, in a form that reads well in a failed test. */
export async function axe(page: Page): Promise<string[]> {
  // The Content-Security-Policy would refuse a script element, but not what is evaluated from outside.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(await readFile(AXE, 'utf8'));
  return page.evaluate(async () => {
    // What fades in or out has other colours until the fade has ended.
    await Promise.allSettled(
      (globalThis as unknown as Window).document
        .getAnimations()
        .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
        .map(({ finished }) => finished),
    );
    type Run = (
      on: Document,
      options: object,
    ) => Promise<{
      violations: { id: string; help: string; nodes: { target: string[]; failureSummary?: string }[] }[];
    }>;
    const { run } = (globalThis as unknown as { axe: { run: Run } }).axe;
    const document = (globalThis as unknown as { document: Document }).document;
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    // Collects no passes and fetches no media, which takes a third of the time.
    const only = { runOnly: tags, resultTypes: ['violations'], preload: false };
    const { violations } = await run(document, only);
    // A list that a field drives by aria-activedescendant scrolls with the field's arrow keys, as does its parent; axe
    // does not see that.
    const isDriven = ([selector = '']: string[]) =>
      [selector, `${selector} > [role=menu]`].some((list) => {
        const { id = '' } = document.querySelector(list) ?? {};
        return document.querySelector(`input[aria-controls~="${id}"]`) !== null;
      });
    // Beside an open dialog the page is inert: its heading and landmarks are not there to be found.
    const covered =
      document.querySelector('.overlay') === null ? [] : ['landmark-one-main', 'page-has-heading-one'];
    return violations.flatMap(({ id, help, nodes }) =>
      nodes
        .filter(() => !covered.includes(id))
        .filter(({ target }) => !(id === 'scrollable-region-focusable' && isDriven(target)))
        .map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')} ${failureSummary ?? ''}`),
    );
  });
}

/** As much of a browser's document as is used here; the tests are compiled without the DOM. */
type Document = {
  querySelector(selector: string): { id: string } | null;
  getAnimations(): {
    effect: { getComputedTiming(): { endTime: number } };
    finished: Promise<unknown>;
  }[];
};

type Window = { document: Document; history: { pushState(state: null, unused: '', path: string): void } };

/** Answers of 400 and above are part of many tests; browsers write them to the console all the same. */
const ANSWERED =
  /^Failed to load resource: (?:the server responded with a status of|net::ERR_(?:FAILED|INTERNET_DISCONNECTED))/;

function collectFaults(page: Page, collect: (fault: string) => void): void {
  page.on('pageerror', (error) => collect(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || ANSWERED.test(message.text())) return;
    collect(`console: ${message.text()}`);
  });
}
