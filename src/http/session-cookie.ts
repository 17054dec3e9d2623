import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';

/** With the prefix, browsers accept the cookie from this host alone and over TLS: no sibling host can set a session. */
const nameOver = (protocol = 'http') =>
  protocol === 'https' ? '__Host-kundebok_session' : 'kundebok_session';

/** Seconds for which a browser keeps the cookie: the longest that browsers allow. The service ends sessions earlier. */
const COOKIE_LIFETIME = 400 * 24 * 60 * 60;

/** A request as it was sent. Without a protocol, it came over HTTP. */
type Sent = { headers: IncomingHttpHeaders; protocol?: string };

/** The session that a browser sends; undefined for none. */
export function sessionTokenOf({ headers, protocol }: Sent): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[nameOver(protocol)];
}

/**
 * The Set-Cookie header that stores or removes a session in the browser. No script can read the cookie, and no
 * other site can make the browser send it except by a link.
 * @param request.protocol by which the browser reaches the service
 */
export function sessionCookie(token: string | null, { protocol }: { protocol: string }): string {
  const maxAge = token === null ? 0 : COOKIE_LIFETIME;
  const value = token ?? '';
  return stringifySetCookie({
    name: nameOver(protocol),
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: protocol === 'https',
    maxAge,
  });
}
