import type { FastifyInstance } from 'fastify';
import type { Work } from '../tracing/work.ts';
import type { Turn } from './admission.ts';
import type { Caller } from './endpoint.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Pattern of the route, for logs and metrics: `/api/v1/offers/{id}`, or `*` outside the API. */
    routePattern: string;
    /** The API key or signed-in person, once checked. */
    caller: Caller | undefined;
    /** The id that the change log stores instead of the caller's own; undefined if it stores that. */
    recordedId: string | undefined;
    /** What it has done so far, for log and traces; undefined once both are written. */
    work: Work | undefined;
    /** The fields that its body gives more than once. */
    repeated: readonly string[] | undefined;
    /** How far it has come: an answer is due once the handler begins. */
    stage: 'arrived' | 'handled' | 'answered';
    /** Its place among the requests of its key, once it may proceed. */
    turn: Turn | undefined;
  }
}

/** Adds the service's own properties to every request. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('routePattern', '*');
  app.decorateRequest('caller', undefined);
  app.decorateRequest('recordedId', undefined);
  app.decorateRequest('work', undefined);
  app.decorateRequest('repeated', undefined);
  app.decorateRequest('stage', 'arrived');
  app.decorateRequest('turn', undefined);
}
