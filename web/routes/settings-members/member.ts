import type { CallResult } from '../../client/call.ts';

export type Member = Extract<CallResult<'GET /members'>, { status: 200 }>['data']['data'][number];

export function nameOf({ first_name, last_name, email }: Pick<Member, 'first_name' | 'last_name' | 'email'>) {
  return `${first_name} ${last_name}`.trim() || email;
}

/** A link of a member that was created just now. */
export type NewLink = { kind: 'invitation' | 'reset'; member: Member; path: string; expires_at: string };
