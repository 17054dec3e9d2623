/** Takes the pictures of README.md from a service of its own with demo data: `node scripts/take-pictures.ts` */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium, request, type APIRequestContext } from 'playwright-core';
import { CHROMIUM } from '../test/chromium.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const VIEWPORT = { width: 1280, height: 800 };

const EQUINOR = '923609016';
const TELENOR = '982463718';
const PASSWORD = 'for the pictures';

/** File and address of each picture. The company is one that the demo data always have. */
const PICTURES = [
  ['home', '/'],
  ['company', `/companies/${EQUINOR}`],
  ['offers', '/offers'],
] as const;

const data = await mkdtemp(join(tmpdir(), 'kundebok-pictures-'));
const env = { ...process.env, DATA_DIR: data, PORT: '0', DATABASE_URL: '', REGISTER: 'sandbox' };
const service = spawn(`${ROOT}bin/kundebok`, ['serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
try {
  const link = await readLink();
  const browser = await chromium.launch({
    executablePath: CHROMIUM!,
    args: ['--no-sandbox'],
  });
  const context = await browser.newContext({
    viewport: VIEWPORT,
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    // Waiting for a condition evaluates text in the page, which the page's policy forbids.
    bypassCSP: true,
  });
  const page = await context.newPage();
  const origin = new URL(link).origin;
  const kari = asPerson(context.request, origin);
  const person = { first_name: 'Kari', last_name: 'Nordmann', password: PASSWORD };
  await kari('POST', new URL(link).pathname, person);
  await kari('PATCH', '/workspace', { name: 'Nordlys AS', language: 'en' });
  await kari('POST', '/demo', {});
  while ((await kari('GET', '/demo')).data.state !== 'there') await setTimeout(500);
  await work(kari, asPerson((await browser.newContext()).request, origin), origin);
  for (const [name, address] of PICTURES) {
    await page.goto(origin + address);
    await page.locator('h1').waitFor();
    // Skeletons are gone once the data are there; the pause is for what appears after that.
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

// oxlint-disable-next-line typescript/no-explicit-any -- an answer's JSON
type Send = (method: string, address: string, body?: object) => Promise<any>;

/** Calls the application as the person whose session the context has. */
function asPerson(request: APIRequestContext, origin: string): Send {
  return (method, address, data) =>
    send(request, `${origin}/app/api${address}`, { method, data, headers: { origin } });
}

async function send(
  request: APIRequestContext,
  address: string,
  options: NonNullable<Parameters<APIRequestContext['fetch']>[1]>,
) {
  const answer = await request.fetch(address, options);
  if (!answer.ok()) throw new Error(`${options.method} ${address}: ${await answer.text()}`);
  return answer.json();
}

/** A morning's work of two people and an integration: the demo data alone are one entry of the recent changes. */
async function work(kari: Send, ingrid: Send, origin: string): Promise<void> {
  const { data: members } = await kari('GET', '/members');
  const named = (name: string) =>
    members.find(({ first_name: first }: { first_name: string }) => first === name);
  const { id: ingridId, email } = named('Ingrid');
  const { id: kariId } = named('Kari');
  const invitation = await kari('POST', '/members/invite', { email });
  const names = { first_name: 'Ingrid', last_name: 'Solberg', password: PASSWORD };
  await ingrid('POST', invitation.data.path, names);

  const permissions = ['companies:read', 'companies:write', 'tasks:read', 'tasks:write'];
  const { token } = (await kari('POST', '/keys', { name: 'Nettbutikk', permissions })).data;
  const headers = { authorization: `Bearer ${token}` };
  const shop = await request.newContext();
  const telenor = await send(shop, `${origin}/api/v1/companies`, {
    method: 'POST',
    headers,
    data: { orgnr: TELENOR },
  });
  await send(shop, `${origin}/api/v1/tasks`, {
    method: 'POST',
    headers,
    data: {
      title: 'Ring om bestilling 10482',
      due_date: new Date(Date.now() + 86_400_000).toISOString(),
      has_time_specified: false,
      user_id: kariId,
      related_company_id: telenor.data.id,
    },
  });
  const { data: sent } = await ingrid('GET', `/offers?user_id=${ingridId}&status=sent`);
  await ingrid('PATCH', `/offers/${sent[0].id}`, { status: 'negotiating' });
  const { data: tasks } = await ingrid('GET', `/tasks?user_id=${ingridId}&completed=false&sort=due_date`);
  await ingrid('PATCH', `/tasks/${tasks[0].id}`, { completed: true });
  await kari('PATCH', `/companies/${EQUINOR}`, { assigned_to: ingridId });
  await ingrid('POST', `/companies/${EQUINOR}/notes`, { text: 'Møte med innkjøp og IT torsdag kl. 10.' });
  const { data: equinor } = await kari('GET', `/companies/${EQUINOR}`);
  await kari('POST', '/offers', {
    title: 'Driftsavtale 2027',
    company_id: equinor.id,
    user_id: kariId,
    recurring_revenue: 48_000,
    weight: 60,
  });
  await kari('POST', `/companies/${EQUINOR}/notes`, { text: 'Sendte utkast til driftsavtale for 2027.' });
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
