import type { IncomingMessage } from 'node:http';

/** On every response: a browser neither renders it as a page, nor frames it, nor sends a referrer. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** On responses over TLS: two years, as browsers' preload lists require. */
export const STRICT_TRANSPORT_SECURITY = { 'strict-transport-security': 'max-age=63072000' } as const;

/**
 * For an answer that bypasses Fastify. It is not checked which proxy says that the request came over TLS: where it did
 * not, a browser ignores this header.
 */
export function strictTransport({ headers }: IncomingMessage, trustsProxies: boolean): object {
  return trustsProxies && headers['x-forwarded-proto'] === 'https' ? STRICT_TRANSPORT_SECURITY : {};
}
