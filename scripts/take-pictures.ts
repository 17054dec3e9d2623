/** Takes the pictures of README from a service of its own with demo data: `node scripts/take-pictures.ts` */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const ROOT = new URL('..', import.meta.url).pathname;
const VIEWPORT = { width: 1280, height: 800 };

/** File, address, and the company whose page it shows: one that the demo data always have. */
const PICTURES = [
  ['home', '/'],
  ['company', '/companies/923609016'],
  ['offers', '/offers'],
] as const;

const data = await mkdtemp(join(tmpdir(), 'kundebok-pictures-'));
const env = { ...process.env, DATA_DIR: data, PORT: '0', DATABASE_URL: '', REGISTER: 'sandbox' };
const service = spawn(`${ROOT}bin/kundebok`, ['serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
try {
  const link = await readLink();
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const context = await browser.newContext({
    viewport: VIEWPORT,
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    // Waiting for a condition evaluates text in the page.
    bypassCSP: true,
  });
  const page = await context.newPage();
  const origin = new URL(link).origin;
  const headers = { origin };
  const names = { first_name: 'Kari', last_name: 'Nordmann', password: 'for the pictures' };
  const path = new URL(link).pathname;
  const send = async (method: string, address: string, body: object) => {
    const answer = await context.request.fetch(`${origin}/app/api${address}`, {
      method,
      data: body,
      headers,
    });
    if (!answer.ok()) throw new Error(`${method} ${address}: ${await answer.text()}`);
  };
  await send('POST', path, names);
  await send('PATCH', '/workspace', { name: 'Nordlys AS', language: 'en' });
  await send('POST', '/demo', {});
  await page.goto(`${origin}/shortcuts`);
  // In the page: its function is asked again until the demo data are there.
  await page.waitForFunction(
    "fetch('/app/api/demo').then((answer) => answer.json()).then(({ data }) => data.state === 'there')",
    undefined,
    { polling: 500, timeout: 60_000 },
  );
  for (const [name, address] of PICTURES) {
    await page.goto(origin + address);
    await page.locator('h1').waitFor();
    // Skeletons are gone once everything is there; what comes late has come by then, too.
    await page.waitForFunction('document.querySelectorAll(".skeleton").length === 0');
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: `${ROOT}docs/pictures/${name}.png` });
    console.log(`docs/pictures/${name}.png`);
  }
  await browser.close();
} finally {
  service.kill('SIGTERM');
  await new Promise((resolve) => service.once('exit', resolve));
  await rm(data, { recursive: true });
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
