import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';

/** How much of a body is read and dropped for the sake of an answer that does not need it. */
const MAX_DROPPED = 4 * 1024 * 1024;

/** Whether a request has a body, arrived or not. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Calls `answer` when the rest of the body has arrived, or is too long to wait for: then the answer must close
 * the connection. A client that sends everything before it reads would lose an earlier answer. A proxy that stops
 * sending at an earlier answer could mix up the rest of the body and the next request on the connection.
 */
export function afterBody(request: IncomingMessage, answer: (closing: boolean) => void): void {
  if (request.complete || !hasBody(request)) return answer(false);
  if (Number(request.headers['content-length'] ?? 0) > MAX_DROPPED) return answer(true);
  let dropped = 0;
  const forget = finished(request, () => answer(false));
  request.on('data', function drop(part: Buffer) {
    dropped += part.length;
    if (dropped <= MAX_DROPPED) return;
    request.off('data', drop);
    forget();
    answer(true);
  });
}
