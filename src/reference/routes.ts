import { fork } from 'node:child_process';
import { once } from 'node:events';
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
 * The reference page at /docs and the guides beside it. Reading and compressing them takes a second and 100 MB,
 * so a process of its own does it at the first visit, and is gone afterwards.
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
    const files = await load();
    const path = request.params['*'];
    const asset = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!asset) throw new Problem('not_found', 'No such page; the reference is at /docs');
    reply.header('content-security-policy', PAGE_POLICY);
    return sendAsset(request, reply, asset);
  });
}

async function loadFiles(): Promise<ReferenceFiles> {
  const builder = fork(new URL('build.ts', import.meta.url), { serialization: 'advanced' });
  const failed = once(builder, 'exit').then(([code]) => {
    throw new Error(`the files of the reference page could not be put together: exit code ${code}`);
  });
  const [files] = (await Promise.race([once(builder, 'message'), failed])) as [ReferenceFiles];
  return files;
}
