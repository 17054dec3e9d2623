import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { sendAsset, type Asset } from '../http/assets.ts';
import { Problem } from '../http/problem.ts';

/** Files by their path below /docs/. */
export type ReferenceFiles = Record<string, Asset>;

/** Scalar adds its styles to the page at run time; nothing else may be inline, and nothing comes from elsewhere. */
const CONTENT_SECURITY_POLICY = [
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
 * Serves the API reference at /docs and the guides beside it. A child process builds them at the first visit:
 * loading Scalar's package here would block the event loop for 150 ms and keep 65 MB, in a worker thread 59 MB.
 */
export function serveReference(app: FastifyInstance, onRequest: onRequestHookHandler): void {
  let building: Promise<ReferenceFiles> | undefined;

  app.get('/docs', { onRequest }, (_, reply) => reply.redirect('/docs/'));
  app.get<{ Params: { '*': string } }>('/docs/*', { onRequest }, async (request, reply) => {
    building ??= buildFiles().catch((error: unknown) => {
      building = undefined;
      throw error;
    });
    const files = await building;
    const path = request.params['*'];
    const asset = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!asset) throw new Problem('not_found', 'No such page; the reference is at /docs');
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    return sendAsset(request, reply, asset);
  });
}

async function buildFiles(): Promise<ReferenceFiles> {
  const builder = fork(new URL('build.ts', import.meta.url), { serialization: 'advanced' });
  const failed = once(builder, 'exit').then(([code]) => {
    throw new Error(`building the files of the reference page failed with exit code ${code}`);
  });
  const [files] = (await Promise.race([once(builder, 'message'), failed])) as [ReferenceFiles];
  return files;
}
