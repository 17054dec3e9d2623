import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

/**
 * Why a request that changes something is refused: a page of another site may have sent it, with this browser's
 * session. Browsers say where a request comes from; what says nothing is no page of ours.
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

/** Scheme and host under which the client sees the service. */
export function originOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}`;
}
