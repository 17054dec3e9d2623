import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createWorld } from './world.ts';

const world = await createWorld();

type File = { status: number; headers: IncomingHttpHeaders; bytes: Buffer };

/** A file as it goes over the wire. */
function load(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<File> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: world.port, path, method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(parts) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

const PAGES = ['/docs/', '/docs/guide', '/docs/operating'];
const PARTS = [
  '/docs/js/scalar.js',
  '/docs/js/start.js',
  '/docs/js/address.js',
  '/docs/styles.css',
  '/docs/icon.svg',
];

test('the page has a title, a language, an icon, and links to the description, the guide and its errors', async () => {
  const { status, headers, bytes } = await load('/docs/');
  expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/html')]);
  const page = bytes.toString();
  expect(page).toContain('/api/v1/openapi.json');
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(page).toContain('<title>Kundebok API reference</title>');
  for (const link of [
    'icon.svg',
    'guide',
    'guide#errors',
    'sandbox',
    'operating',
    'embedded-postgres',
    'register',
  ]) {
    expect(page).toContain(`href="/docs/${link}"`);
  }
  expect((await load('/docs')).headers['location']).toBe('/docs/');
});

test('every link and file that a page names is there', async () => {
  for (const path of PAGES) {
    const page = (await load(path)).bytes.toString();
    const names = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(
      ([, name]) => new URL(name!, world.origin + path),
    );
    const own = names.filter(({ origin }) => origin === world.origin);
    expect(own.length).toBeGreaterThan(4);
    for (const { pathname, search, hash } of own) {
      const file = await load(pathname + search);
      expect([pathname, file.status]).toEqual([pathname, 200]);
      if (hash) expect(file.bytes.toString()).toContain(`id="${decodeURIComponent(hash.slice(1))}"`);
    }
  }
});

test('every page that the description links to is there', async () => {
  const description = (await load('/api/v1/openapi.json')).bytes.toString();
  const links = new Set(
    [...description.matchAll(/\]\((\/[^)#]*)(?:#([^)]*))?\)/g)].map(([link]) => link.slice(2, -1)),
  );
  expect([...links]).toEqual(expect.arrayContaining(['/docs/guide#errors', '/docs/compatibility']));
  for (const link of links) {
    const { pathname, hash } = new URL(link, world.origin);
    const file = await load(pathname);
    expect([link, file.status]).toEqual([link, 200]);
    if (hash) expect(file.bytes.toString()).toContain(`id="${hash.slice(1)}"`);
  }
});

describe.each([...PAGES, ...PARTS])('%s', (path) => {
  test('comes as it is, in gzip and in brotli, smaller each time, and is the same', async () => {
    const plain = await load(path);
    const gzip = await load(path, { 'accept-encoding': 'gzip' });
    const brotli = await load(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect([plain, gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'gzip',
      'br',
    ]);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(brotli.bytes.length).toBeLessThan(gzip.bytes.length);
    expect(gzip.bytes.length).toBeLessThan(plain.bytes.length);
    expect(plain.headers['vary']).toBe('accept-encoding');
  });

  test('is not sent again to a client that has it, and HEAD sends none', async () => {
    const { headers } = await load(path);
    const again = await load(path, { 'if-none-match': `"other", ${headers['etag']}` });
    expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, headers['etag']]);
    expect((await load(path, { 'if-none-match': '"other"' })).status).toBe(200);
    const head = await load(path, {}, 'HEAD');
    expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([
      200,
      0,
      headers['content-length'],
    ]);
  });

  test('runs nothing but what the service sends, and may not be framed', async () => {
    const policy = String((await load(path)).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
  });
});

test('a browser keeps the large script for a year, and asks for the page that names it', async () => {
  const script = await load('/docs/js/scalar.js');
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const page = await load('/docs/');
  expect(page.headers['cache-control']).toBe('no-cache');
  expect(page.bytes.toString()).toMatch(/src="\/docs\/js\/scalar\.js\?v=[0-9a-f]{12}"/);
});

test('a file that is not there is 404 in the one shape', async () => {
  for (const path of [
    '/docs/nothing',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/README',
  ]) {
    const { status, bytes } = await load(path);
    expect([status, JSON.parse(bytes.toString()).code]).toEqual([404, 'not_found']);
  }
});

test('the description comes compressed', async () => {
  const plain = await load('/api/v1/openapi.json');
  const brotli = await load('/api/v1/openapi.json', { 'accept-encoding': 'br' });
  expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
  expect(brotli.bytes.length * 5).toBeLessThan(plain.bytes.length);
});
