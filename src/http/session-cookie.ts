import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';

const NAME = 'kundebok_session';

/** Seconds for which a browser keeps the cookie: the longest that browsers allow. The service ends sessions earlier. */
const COOKIE_LIFETIME = 400 * 24 * 60 * 60;

/** The session that a browser sends; undefined for none. */
export function sessionTokenOf({ cookie }: IncomingHttpHeaders): string | undefined {
  return cookie === undefined ? undefined : parseCookie(cookie)[NAME];
}

/**
 * The Set-Cookie header that stores or removes a session in the browser. No script can read the cookie, and no
 * other site can make the browser send it except by a link.
 * @param secure whether the service is reached over TLS
 */
export function sessionCookie(token: string | null, { secure }: { secure: boolean }): string {
  const maxAge = token === null ? 0 : COOKIE_LIFETIME;
  const value = token ?? '';
  return stringifySetCookie({
    name: NAME,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge,
  });
}
