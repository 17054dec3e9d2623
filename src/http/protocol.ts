import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { unknownCoding } from './client-error.ts';
import { Problem } from './problem.ts';

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
const HOST = /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*|\[(?<v6>[\da-f:.]+)\])(?::(?<port>\d{0,5}))?$/i;

function isHostValid(host: string): boolean {
  const parts = HOST.exec(host)?.groups;
  return (
    parts !== undefined &&
    (parts['v6'] === undefined || isIPv6(parts['v6'])) &&
    Number(parts['port'] ?? 0) <= 65_535
  );
}

function checkHost({ headers, rawHeaders, httpVersion }: IncomingMessage): Problem | undefined {
  if (headers.host === undefined) {
    return httpVersion === '1.1' ? malformed('The request has no Host header') : undefined;
  }
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at]!)) count++;
  if (count > 1) return malformed('The request has more than one Host header');
  return isHostValid(headers.host) ? undefined : malformed('The Host header is not a valid host');
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}

/** The connection is closed: what follows on it may not be what its sender meant. */
function malformed(message: string): Problem {
  return new Problem('malformed_request', message, { headers: { connection: 'close' } });
}

/**
 * Whether a request asks for another protocol. It gets an ordinary answer, and its connection is closed:
 * Node drops what follows such a request.
 */
export function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '');
}
