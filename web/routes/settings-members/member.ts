import type { CallResult } from '../../client/call.ts';

export type Member = Extract<CallResult<'GET /members'>, { status: 200 }>['data']['data'][number];

/**
 * The name, or the email address of a person without one: the service takes the first name of an invited person from
 * the address if none was given.
 */
export function nameOf({ first_name, last_name, email }: Pick<Member, 'first_name' | 'last_name' | 'email'>) {
  const isOfAddress = last_name === '' && email.startsWith(`${first_name}@`);
  return isOfAddress ? email : `${first_name} ${last_name}`.trim() || email;
}

/** A link that was just created for a member. */
export type NewLink = { kind: 'invitation' | 'reset'; member: Member; path: string; expires_at: string };
