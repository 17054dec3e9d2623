import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

/**
 * Rejects a request that changes data and that a page of another site may have sent with this browser's
 * session. Browsers always state where a request comes from.
 */
export function refuseCrossSite(request: FastifyRequest): Problem | undefined {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site === 'same-origin') return undefined;
  if (site === undefined && origin === originOf(request)) return undefined;
  return new Problem(
    'cross_site',
    'The request does not come from a page of this service. Behind a proxy, set TRUST_PROXY and forward Host and X-Forwarded-Proto',
  );
}

/** Scheme and host by which the client reached the service. */
export function originOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}`;
}

/** @throws {Problem} malformed_request if the Host header is well formed but names no host, such as `1.2.3.256` */
export function urlOf(origin: string): URL {
  const url = URL.parse(origin);
  if (!url) throw new Problem('malformed_request', 'The Host header names no host');
  return url;
}
