import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The caller's own X-Request-Id if it is safe to log, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const own = headers['x-request-id'];
  return typeof own === 'string' && /^[\w.:+/=-]{1,128}$/.test(own) ? own : randomUUID();
}

/**
 * The id under which the change log keeps a request: its own only where it can hold no address, name or number
 * with a meaning, since entries outlive the person they are about.
 */
export function recordedIdOf(requestId: string): string {
  return /^[\w-]{1,64}$/.test(requestId) ? requestId : randomUUID();
}
