import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from './problem.ts';

/** Answers what Node's HTTP parser refuses in the shape of every other error, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // A peer that is gone, or an answer already on its way: nothing can be said any more.
  if (error.code === 'ECONNRESET' || !socket.writable || (socket.bytesWritten > 0 && isAnswering(socket))) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error.code);
  const body = JSON.stringify(problem.body);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      `X-Request-Id: ${randomUUID()}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function problemOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'The address and headers together are larger than 16 KiB');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('payload_too_large', 'The chunk extensions are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request did not arrive in time');
    default:
      return new Problem('malformed_request', 'The request is not valid HTTP');
  }
}

/** Whether Node has begun an answer on this socket that is not finished. */
function isAnswering(socket: Socket): boolean {
  const message = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  return message?.headersSent === true;
}
