import { call } from './call.ts';

const SECRET = 'kundebok.provider';

/** What a browser that was sent to the identity provider comes back for. */
type Errand = { secret: string; purpose: 'sign-in' | 'link'; next: string };

/** Leaves for the identity provider: to sign in, also by the link of an invitation, or to link an account. */
export async function leaveForProvider(
  purpose: Errand['purpose'],
  next: string,
  link?: string,
): Promise<void> {
  const { data } =
    purpose === 'link'
      ? await call('POST /identities/begin')
      : await call('POST /sign-in/provider', { body: link === undefined ? {} : { link } });
  const { location, secret } = data.data;
  // Another tab knows nothing of it, nor does another site's page.
  sessionStorage.setItem(SECRET, JSON.stringify({ secret, purpose, next } satisfies Errand));
  window.location.assign(location);
}

/** What this tab left for; undefined when it did not. */
export function errandAtProvider(): Errand | undefined {
  const stored = sessionStorage.getItem(SECRET);
  sessionStorage.removeItem(SECRET);
  return stored === null ? undefined : (JSON.parse(stored) as Errand);
}
