import type { CallResult } from '../../client/call.ts';

export type Member = Extract<CallResult<'GET /members'>, { status: 200 }>['data']['data'][number];

/** The address of a person without a name: in an invitation, the service takes the first name from the address. */
export function nameOf({ first_name, last_name, email }: Pick<Member, 'first_name' | 'last_name' | 'email'>) {
  const isOfAddress = last_name === '' && email.startsWith(`${first_name}@`);
  return isOfAddress ? email : `${first_name} ${last_name}`.trim() || email;
}

/** A link of a member that was created just now. */
export type NewLink = { kind: 'invitation' | 'reset'; member: Member; path: string; expires_at: string };
