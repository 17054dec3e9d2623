import { call } from './call.ts';

const SECRET = 'kundebok.provider';

/** What a browser that was sent to the identity provider comes back for. */
type Errand = { secret: string; purpose: 'sign-in' | 'link'; next: string; isOwnTab: boolean };

/**
 * Leaves for the identity provider: to sign in, also by the link of an invitation, or to link an account.
 * @param options.keepsPage goes there in a tab of its own, closed after signing in, unless the browser refuses one
 */
export async function leaveForProvider(
  purpose: Errand['purpose'],
  next: string,
  { link, keepsPage = false }: { link?: string | undefined; keepsPage?: boolean } = {},
): Promise<void> {
  // Browsers open a tab on a click, but perhaps not later, when the answer has come.
  const own = keepsPage ? window.open('about:blank') : null;
  const tab = own ?? window;
  try {
    const { data } =
      purpose === 'link'
        ? await call('POST /identities/begin')
        : await call('POST /sign-in/provider', { body: link === undefined ? {} : { link } });
    const { location, secret } = data.data;
    const errand: Errand = { secret, purpose, next, isOwnTab: own !== null };
    // Neither another tab nor another site's page can read it.
    tab.sessionStorage.setItem(SECRET, JSON.stringify(errand));
    tab.location.assign(location);
  } catch (error) {
    own?.close();
    throw error;
  }
}

/** What this tab left for; undefined if it did not leave. */
export function errandAtProvider(): Errand | undefined {
  const stored = sessionStorage.getItem(SECRET);
  sessionStorage.removeItem(SECRET);
  return stored === null ? undefined : (JSON.parse(stored) as Errand);
}
