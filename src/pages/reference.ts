import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { sendAsset } from '../http/assets.ts';
import { Problem } from '../http/problem.ts';
import { NOT_BUILT, type Pages } from './files.ts';

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

/** Serves the API reference at /docs and the guides beside it. */
export function serveReference(
  app: FastifyInstance,
  pages: Pages | undefined,
  onRequest: onRequestHookHandler,
): void {
  app.get('/docs', { onRequest }, (_, reply) => reply.redirect('/docs/'));
  app.get<{ Params: { '*': string } }>('/docs/*', { onRequest }, async (request, reply) => {
    if (!pages) throw new Problem('not_found', NOT_BUILT);
    const file = pages.reference.get(request.params['*']);
    if (!file) throw new Problem('not_found', 'No such page; the reference is at /docs');
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    return sendAsset(request, reply, await file());
  });
}
