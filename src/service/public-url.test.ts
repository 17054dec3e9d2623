import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { inspectPublicUrl } from './public-url.ts';

const world = await createWorld({ trustProxy: ['127.0.0.1/32'] });
const trustProxy = ['127.0.0.1'];
const host = '127.0.0.1';

// However busy the machine is, the proxies below have the time to answer.
beforeEach(() => void vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal));
afterEach(() => void vi.restoreAllMocks());

const INNER = ['/metrics', '/healthz', '/readyz'];
const reallyFetch = fetch;

/** A proxy: `fetch` asks it without TLS for what is under `publicUrl`. @returns `publicUrl` */
async function startProxy({
  publicUrl = 'https://crm.example.no',
  denied = INNER,
  tells = true,
  decodes = true,
  status = 200,
} = {}): Promise<string> {
  const proxy = createServer((incoming, answer) => {
    if (status !== 200) {
      answer.writeHead(status).end('<h1>The server is unavailable</h1>');
      return;
    }
    if (denied.includes(decodes ? decodeURI(incoming.url!) : incoming.url!)) {
      answer.writeHead(404).end();
      return;
    }
    const proto = new URL(publicUrl).protocol.slice(0, -1);
    const headers = tells ? { 'x-forwarded-proto': proto, 'x-forwarded-for': '192.0.2.1' } : {};
    request(world.origin + incoming.url, { headers }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.pipe(answer);
    }).end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  vi.spyOn(globalThis, 'fetch').mockImplementation((address, init) =>
    reallyFetch((address as string).replace(publicUrl, origin), init),
  );
  return publicUrl;
}

test.each(['127.0.0.1', '::1', 'localhost'])(
  'without PUBLIC_URL, a HOST that only this machine reaches is not warned about: %s',
  async (host) => {
    expect(await inspectPublicUrl({ publicUrl: undefined, trustProxy: [], host })).toEqual([]);
  },
);

test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
  'a PUBLIC_URL of the machine itself needs no proxy: %s',
  async (publicUrl) => {
    expect(await inspectPublicUrl({ publicUrl, trustProxy: [], host: '0.0.0.0' })).toEqual([]);
  },
);

test.each(['0.0.0.0', '::', '192.0.2.1', 'crm.example.no'])(
  'without PUBLIC_URL, HOST=%s is warned about: what is sent there can be read',
  async (host) => {
    expect(await inspectPublicUrl({ publicUrl: undefined, trustProxy: [], host })).toMatchObject([
      {
        check: 'proxy',
        ok: true,
        warning: expect.stringContaining(`HOST=${host} accepts connections from the network`),
      },
    ]);
  },
);

test('a proxy that forwards the addresses of callers and exposes no inner path passes', async () => {
  const publicUrl = await startProxy();
  expect(await inspectPublicUrl({ publicUrl, trustProxy, host })).toEqual([
    { check: 'proxy', ok: true, found: `${publicUrl} leads here` },
  ]);
});

test.each([
  [
    'that lets everybody read what is for the operator',
    { denied: ['/readyz'] },
    /read \/metrics, \/%6Detrics, \/healthz under/,
    /404/,
  ],
  ['that compares paths undecoded', { decodes: false }, /read \/%6Detrics under/, /404/],
  ['that does not say who calls', { tells: false }, /does not recognise the proxy/, /TRUST_PROXY/],
  [
    'that leads elsewhere',
    { denied: ['/api/v1/me'] },
    /answers 404, and not from this service/,
    /every path/,
  ],
])('a proxy %s fails', async (_, options, found, advice) => {
  const [finding] = await inspectPublicUrl({ publicUrl: await startProxy(options), trustProxy, host });
  expect(finding).toMatchObject({
    check: 'proxy',
    ok: false,
    found: expect.stringMatching(found),
    advice: expect.stringMatching(advice),
  });
});

test('a PUBLIC_URL without TLS is warned about, and needs no proxy', async () => {
  const publicUrl = 'http://crm.lan';
  const warning = 'http://crm.lan has no TLS: keys and passwords could be read in transit';
  expect(await inspectPublicUrl({ publicUrl, trustProxy: [], host: '0.0.0.0' })).toEqual([
    { check: 'proxy', ok: true, found: warning, warning },
  ]);
  await startProxy({ publicUrl });
  expect(await inspectPublicUrl({ publicUrl, trustProxy, host })).toEqual([
    { check: 'proxy', ok: true, found: 'http://crm.lan leads here', warning },
  ]);
});

test('a proxy without TLS on the machine itself passes', async () => {
  const publicUrl = await startProxy({ publicUrl: 'http://localhost' });
  expect(await inspectPublicUrl({ publicUrl, trustProxy, host })).toEqual([
    { check: 'proxy', ok: true, found: 'http://localhost leads here' },
  ]);
});

test.each([502, 503, 504])('a proxy whose service does not answer yet is a warning: %i', async (status) => {
  const publicUrl = await startProxy({ status });
  const found = `${publicUrl}/api/v1/me answers ${status}`;
  const warning =
    'the proxy does not reach the service: start the service, or check its address in the proxy';
  expect(await inspectPublicUrl({ publicUrl, trustProxy, host })).toEqual([
    { check: 'proxy', ok: true, found, warning },
  ]);
});

test('a proxy that is not there yet is a warning', async () => {
  const [finding] = await inspectPublicUrl({ publicUrl: 'http://127.0.0.1:2', trustProxy, host });
  expect(finding).toMatchObject({ ok: true, warning: expect.stringContaining('ECONNREFUSED') });
});
