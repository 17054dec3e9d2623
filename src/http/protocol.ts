import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { Problem } from './problem.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Rejects what Node's HTTP parser accepts and RFC 9112 forbids, and addresses that are too long. */
export function checkProtocol(request: IncomingMessage): Problem | undefined {
  const { headers, url = '' } = request;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding();
  const host = checkHost(request);
  if (host) return host;
  if (url.length > MAX_URL) {
    return new Problem('uri_too_long', `The address is longer than ${MAX_URL} bytes`);
  }
  return undefined;
}

const MAX_URL = 8_192;

/** A name, an IPv4 address or a bracketed IPv6 address, with or without a port (RFC 3986, section 3.2). */
const HOST = /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*|\[([\da-f:.]+)\])(?::(\d{0,5}))?$/i;

function isHostValid(host: string): boolean {
  const parts = HOST.exec(host);
  if (!parts) return false;
  const [, v6, port = 0] = parts;
  return (v6 === undefined || isIPv6(v6)) && Number(port) <= 65_535;
}

function checkHost({ headers, rawHeaders, httpVersion }: IncomingMessage): Problem | undefined {
  if (headers.host === undefined) {
    return httpVersion === '1.1' ? malformed('The request has no Host header') : undefined;
  }
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return malformed('The request has more than one Host header');
  return isHostValid(headers.host) ? undefined : malformed('The Host header is not a valid host');
}

/**
 * Whether a request asks for another protocol. It gets an ordinary answer, and its connection is closed:
 * Node drops what follows such a request.
 */
export function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '');
}

/** Node's error for bytes that its parser rejects. */
export type ParserError = Error & { code?: string; rawPacket?: unknown };

/** Answers bytes that Node's HTTP parser rejects: sends the common error body and closes the connection. */
export function answerClientError(error: ParserError, socket: Duplex): void {
  // The peer is gone, or an answer has begun: no other answer is possible.
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, problemOf(error));
}

/** Answers CONNECT, for which Node creates no request. */
export function refuseConnect(socket: Duplex, more: object): void {
  answerOnSocket(
    socket,
    new Problem('method_not_allowed', 'CONNECT is not supported: this is not a proxy', {
      headers: { allow: 'GET, HEAD, POST, PATCH, DELETE', ...more },
    }),
  );
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The headers of an answer that bypasses Fastify. */
export function headersOf(problem: Problem, requestId: string = randomUUID()): Record<string, string> {
  return {
    'content-type': JSON_TYPE,
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
    case 'HPE_INVALID_URL':
      return malformed('The address has a character that must be percent-encoded, such as ø as %C3%B8');
    case 'HPE_INVALID_CONSTANT':
      return malformed('HTTP/1.1 must follow the address; a space in the address is percent-encoded as %20');
    case 'HPE_INVALID_METHOD':
      return malformed('The request does not begin with a method in upper case; this port takes no TLS');
    default:
      return malformed();
  }
}

/** Whether the fault is not an unknown coding, but an ambiguous length of the body (RFC 9112, section 6.3). */
function hasLengthOrChunks(packet: unknown): boolean {
  const text = packet instanceof Buffer ? packet.toString('latin1') : '';
  return /^(content-length:|transfer-encoding:.*chunked)/im.test(text);
}

function malformed(message = 'The request is not valid HTTP'): Problem {
  return new Problem('malformed_request', message, CLOSING);
}

/** A transfer coding that the service cannot decode (RFC 9112, section 6.1). */
function unknownCoding(): Problem {
  return new Problem('not_implemented', 'The only Transfer-Encoding that is supported is chunked', CLOSING);
}

/** Whether Node has begun an answer on this socket that is not finished. */
function isAnswering(socket: Duplex): boolean {
  const message = (socket as Duplex & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  return message?.headersSent === true;
}

/** After such a fault, what follows on the connection may not be what its sender meant. */
const CLOSING = { headers: { connection: 'close' } };
