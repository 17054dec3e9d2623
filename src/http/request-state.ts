import type { FastifyInstance } from 'fastify';
import type { Work } from '../tracing/work.ts';
import type { Caller } from './endpoint.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Pattern of the route, for logs and metrics: `/api/v1/offers/{id}`, or `*` outside the API. */
    routePattern: string;
    /** The owner of the API key, once the key has been checked. */
    caller: Caller | undefined;
    /** The id that the change log has in place of the caller's own; undefined where it has that. */
    recordedId: string | undefined;
    /** What it has done so far, for log and traces. */
    work: Work | undefined;
    /** Lets other requests of the key go on while this one waits. */
    stepAside: () => void;
  }
}

/** Adds the service's own properties to every request. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('routePattern', '*');
  app.decorateRequest('caller', undefined);
  app.decorateRequest('recordedId', undefined);
  app.decorateRequest('work', undefined);
  app.decorateRequest('stepAside', noKey);
}

/** A request without a key has no place among those of its key. */
function noKey(): void {}
