/**
 * Measures the list of companies in Chromium with a large workspace: how long a step of scrolling occupies the page's
 * main thread, tasks longer than 50 ms, requests and memory; and how long it takes from a click in the navigation until
 * another page has been drawn: `node bench/pages.ts [--companies 100000]`
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../test/chromium.ts';
import { seedRows, USER } from './lists-seed.ts';
import { table } from './report.ts';

const { values: options } = parseArgs({ options: { companies: { type: 'string', default: '100000' } } });
const COMPANIES = Number(options.companies);
const ROOT = new URL('..', import.meta.url).pathname;

/** Wheel turns of one walk; each is most of a screen. */
const TURNS = 100;
const TURN_PX = 1_000;
const KEYS = 40;

/** The pages of the navigation, opened in turn. The first rounds fill the caches and are not measured. */
const PAGES = ['/contacts', '/tasks', '/offers', '/', '/companies'];
const COLD_ROUNDS = 2;
const ROUNDS = 10;

/** Counts long tasks and requests in the page, and times the opening of pages. */
const WATCH = `{
  const seen = { tasks: [], requests: 0 };
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
  const send = window.fetch;
  window.fetch = (...args) => { if (String(args[0]).includes('/companies')) seen.requests += 1; return send(...args); };
  window.watched = {
    reset() { seen.tasks = []; seen.requests = 0; },
    /** Milliseconds from a click in the navigation until the page, with nothing still loading, has been drawn. */
    async open(path) {
      const before = document.querySelector('h1').textContent;
      const from = performance.now();
      document.querySelector('nav a[href="' + path + '"]').click();
      do await this.frame();
      while (location.pathname !== path || document.querySelector('h1')?.textContent === before || document.querySelector('main .skeleton'));
      return performance.now() - from;
    },
    frame: () => new Promise((done) => requestAnimationFrame(() => setTimeout(done))),
    said: () => ({ ...seen, heap: performance.memory.usedJSHeapSize, top: document.querySelector('.table-body').scrollTop, rows: document.querySelector('.table-space').offsetHeight / 36, made: document.querySelectorAll('.table-body [role=row]').length }),
  };
}`;

const data = await mkdtemp(join(tmpdir(), 'kundebok-bench-pages-'));
const env = { ...process.env, DATA_DIR: data, PORT: '0', DATABASE_URL: '', REGISTER: 'sandbox' };
const service = spawn(`${ROOT}bin/kundebok`, ['serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
try {
  await measure(new URL(await readLink()));
} finally {
  service.kill('SIGTERM');
  await new Promise((resolve) => service.once('exit', resolve));
  await rm(data, { recursive: true, force: true });
}

async function measure(link: URL): Promise<void> {
  const { origin } = link;
  const browser = await chromium.launch({
    executablePath: CHROMIUM!,
    args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
  });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    bypassCSP: true,
  });
  const person = { first_name: 'Kari', last_name: 'Nordmann', password: 'for the measurement' };
  const answer = await context.request.post(`${origin}/app/api${link.pathname}`, {
    data: person,
    headers: { origin },
  });
  const { data: session } = (await answer.json()) as { data: { workspace: { id: string } } };
  await fill(session.workspace.id);
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const devtools = await context.newCDPSession(page);
  // Processor time, which other programs on the machine do not add to.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };

  const rows: string[][] = [];
  // A service that is overloaded refuses files of the page: then the page is loaded again.
  let refused: boolean;
  page.on('response', (response) => (refused ||= response.status() === 503));
  do {
    refused = false;
    await page.goto(`${origin}/companies`, { waitUntil: 'load' });
    await page.waitForTimeout(1_000);
  } while (refused);
  await page.locator('.table-body [role=row]').first().waitFor();
  rows.push(['the address loaded, rows there', `${await busy()}`.slice(0, 5), await said(page)]);

  await page.mouse.move(640, 400);
  const walk = async (name: string, step: () => Promise<void>, times: number) => {
    await page.evaluate('window.watched.reset()');
    const from = await busy();
    for (let turn = 0; turn < times; turn += 1) {
      await step();
      await page.evaluate('window.watched.frame()');
    }
    rows.push([name, `${((await busy()) - from) / times}`.slice(0, 5), await said(page)]);
  };
  await walk(`${TURNS} turns of the wheel`, () => page.mouse.wheel(0, TURN_PX), TURNS);
  await page.keyboard.press('j');
  await walk(`${KEYS} times PageDown`, () => page.keyboard.press('PageDown'), KEYS);
  await walk(`${KEYS} times End`, () => page.keyboard.press('End'), KEYS);
  await walk(`${KEYS} times PageUp`, () => page.keyboard.press('PageUp'), KEYS);
  await walk('Home', () => page.keyboard.press('Home'), 1);
  const changes = new Map(PAGES.map((path): [string, number[]] => [path, []]));
  for (let round = 0; round < COLD_ROUNDS + ROUNDS; round++) {
    for (const [path, times] of changes) {
      const time = (await page.evaluate(`window.watched.open(${JSON.stringify(path)})`)) as number;
      if (round >= COLD_ROUNDS) times.push(time);
      await page.waitForTimeout(100);
    }
  }

  console.log(table([['what', 'main thread, ms a step', 'seen'], ...rows]));
  console.log(
    table([
      ['page opened', 'ms, median', 'longest'],
      ...Array.from(changes, ([path, times]) => {
        const sorted = times.toSorted((one, other) => one - other);
        return [path, sorted[ROUNDS >> 1]!.toFixed(0), sorted.at(-1)!.toFixed(0)];
      }),
    ]),
  );
  await browser.close();
}

async function fill(workspace: string): Promise<void> {
  const url = await new Promise<string>((resolve, reject) => {
    const asked = spawn(`${ROOT}bin/kundebok`, ['database-url'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    asked.stdout.on('data', (part) => (text += String(part)));
    asked.once('exit', (code) => (code === 0 ? resolve(text.trim()) : reject(new Error('no address'))));
  });
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      "insert into users (id, email, first_name, last_name) values ($1, 'ola@example.no', 'Ola', 'Nordmann')",
      [USER],
    );
    await client.query('insert into memberships (tenant_id, user_id) values ($1, $2)', [workspace, USER]);
    await seedRows(client, workspace, {
      companies: COMPANIES,
      contacts: 0,
      tasks: 0,
      offers: 0,
      notes: 0,
    });
    await client.query('vacuum analyze companies');
  } finally {
    await client.end();
  }
}

async function said(page: Page): Promise<string> {
  const { tasks, requests, heap, rows, made } = (await page.evaluate('window.watched.said()')) as {
    tasks: number[];
    requests: number;
    heap: number;
    rows: number;
    made: number;
  };
  const longest = Math.round(Math.max(0, ...tasks));
  return `${tasks.length} long tasks, longest ${longest} ms; ${requests} requests; ${Math.round(rows)} rows known, ${made} made; heap ${Math.round(heap / 1e6)} MB`;
}

async function readLink(): Promise<string> {
  let text = '';
  for await (const part of service.stdout) {
    text += String(part);
    const link = /http:\/\/\S+\/welcome\/\S+/.exec(text)?.[0];
    if (link !== undefined) return link;
  }
  throw new Error(`the service did not print a link: ${text}`);
}
