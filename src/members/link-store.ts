import { sql } from 'kysely';
import { statement } from '../db/statement.ts';
import { SHOWN } from './shown.ts';
import { emailKeyOf } from './store.ts';
import { HAS_WAY_IN } from './ways-in.ts';

type Link = {
  digest: Buffer;
  kind: 'invitation' | 'reset';
  user_id: string;
  tenant_id: string | null;
  created_by: string | null;
};

export const insertLink = statement(
  'insert link',
  (p: Link & { hours: number }) => sql<{ expires_at: string }>`
    insert into welcome_links (digest, kind, user_id, tenant_id, created_by, expires_at)
    values (${p.digest}, ${p.kind}, ${p.user_id}, ${p.tenant_id}, ${p.created_by},
      now() + make_interval(hours => ${p.hours}))
    returning expires_at`,
);

/** Locks a person until the transaction ends. */
export const lockPerson = statement(
  'lock person',
  (p: { user_id: string }) => sql<{ id: string }>`select id from users where id = ${p.user_id} for update`,
);

/** What a link is for, used or not, with the person as far as the page shows them. */
export type StoredLink = {
  kind: 'invitation' | 'reset';
  user_id: string;
  tenant_id: string | null;
  workspace_name: string | null;
  email: string;
  first_name: string;
  last_name: string;
  is_over: boolean;
  /** Whether the person can sign in already. */
  is_known: boolean;
};

/**
 * A password link ends when the person joins or leaves a workspace: it was made for what they could reach then. Names
 * and spelling of the address are those of the invitation. If an import gave another address, the account's is shown.
 */
export const findLink = statement(
  'find link',
  (p: { digest: Buffer }) => sql<StoredLink>`
    select l.kind, l.user_id, l.tenant_id, w.name as workspace_name,
      case when ${emailKeyOf(sql.ref('m.invited_email'))} = u.email_key then m.invited_email else u.email end as email,
      ${SHOWN.first_name} as first_name, ${SHOWN.last_name} as last_name,
      l.used_at is not null or l.expires_at <= now()
        or (l.tenant_id is not null and (m.user_id is null or m.removed_at is not null))
        or (l.kind = 'reset' and exists (
          select from memberships r where r.user_id = l.user_id
            and l.created_at < greatest(r.created_at, r.rejoined_at, r.removed_at)))
        as is_over,
      ${HAS_WAY_IN} as is_known
    from welcome_links l join users u on u.id = l.user_id left join workspaces w on w.id = l.tenant_id
      left join memberships m on m.tenant_id = l.tenant_id and m.user_id = l.user_id
    where l.digest = ${p.digest}`,
);

/** Returns no row for a link that was used, also by a concurrent request. */
export const useLink = statement(
  'use link',
  (p: { digest: Buffer }) => sql<{ user_id: string }>`
    update welcome_links set used_at = now()
    where digest = ${p.digest} and used_at is null and expires_at > now() returning user_id`,
);

/** Invitations of a removed person stay invalid when the person is invited again. */
export const endInvitations = statement(
  'end invitations',
  (p: { tenant: string; user_id: string }) => sql<{ user_id: string }>`
    update welcome_links set used_at = now()
    where user_id = ${p.user_id} and tenant_id = ${p.tenant} and used_at is null returning user_id`,
);

/** Links end when their creator loses the right to make them: invitations to a workspace, and password links. */
export const endLinksBy = statement(
  'end links by a member',
  (p: { tenant: string; user_id: string }) => sql<{ user_id: string }>`
    update welcome_links set used_at = now()
    where created_by = ${p.user_id} and used_at is null and (tenant_id is null or tenant_id = ${p.tenant})
    returning user_id`,
);

/** Password links end when the person sets a new password, and when they become a member of another workspace. */
export const endResets = statement(
  'end resets',
  (p: { user_id: string }) => sql<{ user_id: string }>`
    update welcome_links set used_at = now()
    where user_id = ${p.user_id} and kind = 'reset' and used_at is null returning user_id`,
);
