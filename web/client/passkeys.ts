import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import { call } from './call.ts';
import type { Session } from './application.ts';

/** Asks the browser for one of its passkeys and signs in with it. */
export async function signInWithPasskey(link: string | undefined): Promise<Session> {
  const { data } = await call('POST /sign-in/passkey-options');
  const response = await startAuthentication({ optionsJSON: data.data });
  const body = { response: { ...response } as never, link };
  return (await call('POST /sign-in/passkey', { body })).data.data;
}

/** Has the browser make a passkey, and adds it to the person's account. */
export async function addPasskey(name: string): Promise<void> {
  const { data } = await call('POST /passkeys/options');
  const response = await startRegistration({ optionsJSON: data.data as never });
  await call('POST /passkeys', { body: { name, response: { ...response } as never } });
}

/** Whether the person only closed the browser's dialog. */
export function wasCancelled(error: unknown): boolean {
  return (
    (error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED') ||
    (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name))
  );
}
