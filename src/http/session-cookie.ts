import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';

const NAME = 'kundebok_session';

/** Seconds for which a browser keeps the cookie: as long as browsers allow. The service ends sessions earlier. */
const COOKIE_LIFETIME = 400 * 24 * 60 * 60;

/** The session that a browser sends; undefined for none. */
export function sessionTokenOf({ cookie }: IncomingHttpHeaders): string | undefined {
  return cookie === undefined ? undefined : parseCookie(cookie)[NAME];
}

/**
 * The Set-Cookie header that makes a browser keep a session, or forget the one it has. No script can read it, and no
 * other site can send it along but for following a link.
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
