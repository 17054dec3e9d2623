import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { sendAsset, type Asset } from '../http/assets.ts';
import { Problem } from '../http/problem.ts';

/** Files by address. */
export type ReferenceFiles = Record<string, Asset>;

/** Scalar writes its styles into the page while it runs; nothing else may be inline, and nothing is foreign. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The reference page at /docs and the guides beside it. Reading and compressing them takes a second and 30 MB,
 * so a thread of its own does it at the first visit, and is gone afterwards.
 */
export function serveReference(app: FastifyInstance, limit: onRequestHookHandler): void {
  let files: Promise<ReferenceFiles> | undefined;

  function load(): Promise<ReferenceFiles> {
    files ??= loadFiles().catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  }

  const options = { onRequest: limit };
  app.get('/docs', options, (_, reply) => reply.redirect('/docs/'));
  app.get<{ Params: { '*': string } }>('/docs/*', options, async (request, reply) => {
    const asset = (await load())[request.params['*']];
    if (!asset) throw new Problem('not_found', 'No such page; the reference is at /docs');
    reply.header('content-security-policy', PAGE_POLICY);
    return sendAsset(request, reply, asset);
  });
}

async function loadFiles(): Promise<ReferenceFiles> {
  const worker = new Worker(new URL('build.ts', import.meta.url));
  const [files] = (await once(worker, 'message')) as [ReferenceFiles];
  return Object.fromEntries(Object.entries(files).map(([path, asset]) => [path, revived(asset)]));
}

/** A Buffer arrives from another thread as a plain array of bytes, a view of memory that holds more than it. */
function revived(asset: Asset): Asset {
  return {
    ...asset,
    encodings: asset.encodings.map(({ name, bytes }) => ({
      name,
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    })),
  };
}
