import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
  type AuthenticationResponseJSON,
} from '@simplewebauthn/browser';
import { call } from './call.ts';
import type { Session } from './application.ts';

/** Asks the browser for one of its passkeys and signs in with it. */
export async function signInWithPasskey(link: string | undefined): Promise<Session> {
  const { data } = await call('POST /sign-in/passkey-options');
  return enterWith(await startAuthentication({ optionsJSON: data.data }), link);
}

/**
 * Has the browser offer its passkeys in the field for the address, until one is chosen or the signal ends it.
 * @returns a function that signs in with the one that was chosen; undefined where the browser cannot offer them
 */
export async function offerPasskeys(
  signal: AbortSignal,
): Promise<((link: string | undefined) => Promise<Session>) | undefined> {
  if (!(await browserSupportsWebAuthnAutofill())) return undefined;
  const { data } = await call('POST /sign-in/passkey-options', { signal });
  signal.throwIfAborted();
  signal.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony(), { once: true });
  const response = await startAuthentication({ optionsJSON: data.data, useBrowserAutofill: true });
  return (link) => enterWith(response, link);
}

async function enterWith(response: AuthenticationResponseJSON, link: string | undefined): Promise<Session> {
  const body = { response: { ...response } as never, link };
  return (await call('POST /sign-in/passkey', { body })).data.data;
}

/** Has the browser make a passkey, and adds it to the person's account. */
export async function addPasskey(name: string): Promise<void> {
  const { data } = await call('POST /passkeys/options');
  const response = await startRegistration({ optionsJSON: data.data as never });
  await call('POST /passkeys', { body: { name, response: { ...response } as never } });
}

const FAULTS: Partial<Record<WebAuthnError['code'], 'atAddress' | 'exists'>> = {
  // Browsers have passkeys for host names, not for IP addresses.
  ERROR_INVALID_DOMAIN: 'atAddress',
  ERROR_INVALID_RP_ID: 'atAddress',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'exists',
};

/** What kept the browser from making or using a passkey; undefined where it was the service that refused. */
export function passkeyFault(error: unknown): 'cancelled' | 'atAddress' | 'exists' | 'refused' | undefined {
  if (wasCancelled(error)) return 'cancelled';
  return error instanceof WebAuthnError ? (FAULTS[error.code] ?? 'refused') : undefined;
}

/** Whether the person only closed the browser's dialog. */
function wasCancelled(error: unknown): boolean {
  return (
    (error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED') ||
    (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name))
  );
}
