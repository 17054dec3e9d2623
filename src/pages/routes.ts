import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { sendAsset } from '../http/assets.ts';
import { Problem, unknownPath } from '../http/problem.ts';
import { NOT_BUILT, type Pages } from './files.ts';

/** First segments of the application's addresses; web/router.tsx has the rest. */
const SEGMENTS = [
  'sign-in',
  'welcome',
  'companies',
  'contacts',
  'tasks',
  'offers',
  'search',
  'settings',
  'import',
  'developers',
  'shortcuts',
];

/** First segments of addresses that programs call: an unknown address below them gets JSON whatever Accept says. */
const PROGRAMS = /^\/(?:api|app|docs|assets|healthz|readyz|metrics)(?:[/?]|$)/;

/** The folder of the files that Vite makes. */
const ASSETS = '/assets/';

/**
 * Serves the application: its files from memory, and its one page at each of the application's addresses. Also answers
 * addresses that nothing else serves.
 */
export function servePages(
  app: FastifyInstance,
  pages: Pages | undefined,
  onRequest: onRequestHookHandler,
): void {
  const sendFile = async (path: string, request: FastifyRequest, reply: FastifyReply) => {
    const file = pages?.files.get(path);
    if (!file) return reply.callNotFound();
    return sendAsset(request, reply, await file());
  };
  // One route for the many files in assets/: a route for each took a tenth of the time of a start.
  app.get<{ Params: { '*': string } }>(`${ASSETS}*`, { onRequest }, (request, reply) =>
    sendFile(ASSETS + request.params['*'], request, reply),
  );
  for (const path of [...(pages?.files.keys() ?? [])].filter((path) => !path.startsWith(ASSETS))) {
    app.get(path, { onRequest }, (request, reply) => sendFile(path, request, reply));
  }
  for (const path of ['/', ...SEGMENTS.flatMap((name) => [`/${name}`, `/${name}/*`])]) {
    app.get(path, { onRequest }, (_, reply) => sendPage(reply, pages));
  }
  app.setNotFoundHandler(({ method, url, headers }, reply) => {
    // The application itself says that it has no page at this address.
    const isPage = method === 'GET' && !PROGRAMS.test(url) && headers.accept?.includes('text/html');
    if (isPage && pages) return sendPage(reply.code(404), pages);
    throw unknownPath();
  });
}

/** The nonce differs in every answer, so the page has no ETag and no cache keeps it. */
function sendPage(reply: FastifyReply, pages: Pages | undefined): FastifyReply {
  if (!pages) throw new Problem('not_found', NOT_BUILT);
  const nonce = randomBytes(16).toString('base64');
  reply.headers({
    'content-security-policy': contentSecurityPolicy(nonce),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'x-frame-options': 'DENY',
  });
  return reply.type('text/html; charset=utf-8').send(pages.page.replaceAll('NONCE', nonce));
}

/** Allows scripts with the nonce and those they load, styles from files, and React Aria's one style element. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
