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

/** A proxy for TLS, without the TLS. @returns its address */
async function startProxy({ denied = INNER, tells = true, decodes = true } = {}): Promise<string> {
  const proxy = createServer((incoming, answer) => {
    if (denied.includes(decodes ? decodeURI(incoming.url!) : incoming.url!)) {
      answer.writeHead(404).end();
      return;
    }
    const headers = tells ? { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' } : {};
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
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test.each(['127.0.0.1', '::1', 'localhost'])(
  'without PUBLIC_URL nothing is checked: HOST=%s',
  async (host) => {
    expect(await inspectPublicUrl({ publicUrl: undefined, trustProxy: [], host })).toEqual([]);
  },
);

test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
  'a PUBLIC_URL of the machine itself takes no proxy: %s',
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

test('a proxy that forwards callers and exposes nothing else passes', async () => {
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
])('one %s is ill', async (_, options, found, advice) => {
  const [finding] = await inspectPublicUrl({ publicUrl: await startProxy(options), trustProxy, host });
  expect(finding).toMatchObject({
    check: 'proxy',
    ok: false,
    found: expect.stringMatching(found),
    advice: expect.stringMatching(advice),
  });
});

test('a proxy that is not there yet is a warning', async () => {
  const [finding] = await inspectPublicUrl({ publicUrl: 'http://127.0.0.1:2', trustProxy, host });
  expect(finding).toMatchObject({ ok: true, warning: expect.stringContaining('ECONNREFUSED') });
});
