import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The caller's own X-Request-Id if it is safe to log, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const own = headers['x-request-id'];
  return typeof own === 'string' && /^[\w.:+/=-]{1,128}$/.test(own) ? own : randomUUID();
}

/**
 * The request id that the change log stores: the caller's own only if it cannot contain an address or a name,
 * because entries outlive the person they are about.
 */
export function recordedIdOf(requestId: string): string {
  return /^[\w-]{1,64}$/.test(requestId) ? requestId : randomUUID();
}
