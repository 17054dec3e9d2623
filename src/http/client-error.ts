import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from './problem.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Node's error for bytes that its parser rejects. */
export type ParserError = Error & { code?: string; rawPacket?: unknown };

/** Answers bytes that Node's HTTP parser rejects with the common error body, and closes the connection. */
export function answerClientError(error: ParserError, socket: Duplex): void {
  // The peer is gone, or an answer has begun: no other answer is possible.
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, problemOf(error));
}

/** Answers CONNECT, for which Node creates no request. */
export function refuseConnect(socket: Duplex): void {
  answerOnSocket(
    socket,
    new Problem('method_not_allowed', 'CONNECT is not supported: this is not a proxy', {
      headers: { allow: 'GET, HEAD, POST, PATCH' },
    }),
  );
}

/** The headers of an answer that bypasses Fastify. */
export function headersOf(problem: Problem, requestId: string = randomUUID()): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(JSON.stringify(problem.body))),
    'cache-control': 'no-store',
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
    ...problem.headers,
  };
}

function answerOnSocket(socket: Duplex, problem: Problem): void {
  const headers = Object.entries({ ...headersOf(problem), connection: 'close' });
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      '',
      JSON.stringify(problem.body),
    ].join('\r\n'),
  );
}

function problemOf({ code, rawPacket }: ParserError): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'The address and headers together are larger than 16 KiB');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('payload_too_large', 'The chunk extensions are too large');
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return hasLengthOrChunks(rawPacket) ? malformed() : unknownCoding();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request did not arrive in time');
    default:
      return malformed();
  }
}

/** If so, the coding is known, but the length of the body is ambiguous (RFC 9112, section 6.3). */
function hasLengthOrChunks(packet: unknown): boolean {
  const text = packet instanceof Buffer ? packet.toString('latin1') : '';
  return /^(content-length:|transfer-encoding:.*chunked)/im.test(text);
}

function malformed(): Problem {
  return new Problem('malformed_request', 'The request is not valid HTTP');
}

/** A transfer coding that the service cannot decode (RFC 9112, section 6.1). */
export function unknownCoding(): Problem {
  return new Problem('not_implemented', 'The only Transfer-Encoding that is supported is chunked', {
    headers: { connection: 'close' },
  });
}

/** Whether Node has begun an answer on this socket that is not finished. */
function isAnswering(socket: Duplex): boolean {
  const message = (socket as Duplex & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  return message?.headersSent === true;
}
