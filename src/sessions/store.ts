import { sql } from 'kysely';
import { reading, statement } from '../db/statement.ts';
import type { Role } from '../members/roles.ts';
import { HAS_JOINED } from '../members/store.ts';
import type { ListedSession, OwnWorkspace, Profile } from './schema.ts';

/** The use of a session is recorded again after this. */
const NOTE_USE_AFTER_MINUTES = 10;

/** How long a session lasts after it was last used. */
const LIFETIME = sql.lit('30 days');

/** Whether a use is recorded again. One in the future is from before the clock was set back. */
const isStale = (table: 's' | 'm') => {
  const used = sql.ref(`${table}.last_used_at`);
  return sql`coalesce(${used} not between now() - make_interval(mins => ${sql.lit(NOTE_USE_AFTER_MINUTES)}) and now(), true)`;
};

/** A valid session: its person is a member of its workspace, or of another one that they have joined. */
export type StoredSession = {
  id: string;
  user_id: string;
  tenant_id: string;
  role: Role;
  /** Whether its last use should be recorded. */
  is_stale: boolean;
};

export const hasSession = statement(
  'has session',
  (p: { id: string }) => sql<{ id: string }>`select id from sessions where id = ${p.id}`,
);

/** The session's own workspace first; the person may have left it meanwhile. */
export const findSession = reading(
  'find session',
  (p: { digest: Buffer }) => sql<StoredSession>`
    select s.id, s.user_id, m.tenant_id, m.role, ${isStale('s')} or ${isStale('m')} as is_stale
    from sessions s join memberships m on m.user_id = s.user_id and ${HAS_JOINED}
    where s.digest = ${p.digest} and s.expires_at > now()
    order by (m.tenant_id = s.tenant_id) is true desc, m.joined_at
    limit 1`,
);

/** Whether a session still lets its person into a workspace, whichever it shows now. */
export const findSessionIn = reading(
  'find session in workspace',
  (p: { digest: Buffer; tenant_id: string }) => sql<{ id: string }>`
    select s.id from sessions s join memberships m on m.user_id = s.user_id and ${HAS_JOINED}
    where s.digest = ${p.digest} and s.expires_at > now() and m.tenant_id = ${p.tenant_id}`,
);

/** Records that a session is in use, which extends it. */
export const renewSession = statement(
  'renew session',
  (p: { id: string }) => sql<{ id: string }>`
    update sessions set last_used_at = now(), expires_at = now() + ${LIFETIME}::interval where id = ${p.id} returning id`,
);

/** Records that the person is active in the workspace. */
export const noteMemberUse = statement(
  'note use of member',
  (p: { tenant_id: string; user_id: string }) => sql<{ user_id: string }>`
    update memberships set last_used_at = now()
    where tenant_id = ${p.tenant_id} and user_id = ${p.user_id} returning user_id`,
);

export const insertSession = statement(
  'insert session',
  (p: {
    id: string;
    digest: Buffer;
    user_id: string;
    tenant_id: string | null;
    user_agent: string;
    network: string;
  }) =>
    sql<{ id: string }>`
      insert into sessions (id, digest, user_id, tenant_id, user_agent, network, expires_at)
      values (${p.id}, ${p.digest}, ${p.user_id}, ${p.tenant_id}, ${p.user_agent}, ${p.network}, now() + ${LIFETIME}::interval)
      returning id`,
);

export const deleteSession = statement(
  'delete session',
  (p: { user_id: string; id: string }) => sql<{ id: string }>`
    delete from sessions where user_id = ${p.user_id} and id = ${p.id} returning id`,
);

/** The session that a browser sent; its person is not known yet. */
export const deleteSessionByDigest = statement(
  'delete session by digest',
  (p: { digest: Buffer }) =>
    sql<{ id: string }>`delete from sessions where digest = ${p.digest} returning id`,
);

/** All of a person's sessions but one, or all where `kept` is null. */
export const deleteOtherSessions = statement(
  'delete other sessions',
  (p: { user_id: string; kept: string | null }) => sql<{ id: string }>`
    delete from sessions where user_id = ${p.user_id} and id is distinct from ${p.kept} returning id`,
);

export const deleteEndedSessions = statement(
  'delete ended sessions',
  (p: { batch: number }) => sql<{ id: string }>`
    delete from sessions where id in (select id from sessions where expires_at < now() limit ${p.batch})
    returning id`,
);

export const listSessions = reading(
  'list sessions',
  (p: { user_id: string }) => sql<Omit<ListedSession, 'is_current'>>`
    select id, user_agent, network, created_at, last_used_at from sessions
    where user_id = ${p.user_id} and expires_at > now() order by last_used_at desc, id limit 100`,
);

/** Shows another workspace from now on; returns no row for one that the person has not joined. */
export const moveSession = statement(
  'move session',
  (p: { id: string; user_id: string; tenant_id: string }) => sql<{ id: string }>`
    update sessions set tenant_id = ${p.tenant_id}
    where id = ${p.id} and user_id = ${p.user_id} and exists (
      select from memberships m where m.tenant_id = ${p.tenant_id} and m.user_id = ${p.user_id} and ${HAS_JOINED})
    returning id`,
);

export const findProfile = reading(
  'find profile',
  (p: { user_id: string }) => sql<Profile>`
    select id, email, first_name, last_name, language from users where id = ${p.user_id}`,
);

/** The workspaces that a person has joined, by name. */
export const listOwnWorkspaces = reading(
  'list own workspaces',
  (p: { user_id: string }) => sql<OwnWorkspace>`
    select w.id, w.name, m.role, w.language, w.time_zone
    from memberships m join workspaces w on w.id = m.tenant_id
    where m.user_id = ${p.user_id} and ${HAS_JOINED}
    order by w.name, w.id`,
);

/** Who has this address, with the hash of their password. */
export const findAccount = reading(
  'find account',
  (p: { emailKey: string }) => sql<{ user_id: string; password_hash: string | null }>`
    select id as user_id, password_hash from users where email_key = ${p.emailKey}`,
);

export const setPassword = statement(
  'set password',
  (p: { user_id: string; password_hash: string }) => sql<{ id: string }>`
    update users set password_hash = ${p.password_hash} where id = ${p.user_id} returning id`,
);

/** Returns no row when the password has changed since it was read. */
export const replacePassword = statement(
  'replace password',
  (p: { user_id: string; seen: string | null; password_hash: string }) => sql<{ id: string }>`
    update users set password_hash = ${p.password_hash}
    where id = ${p.user_id} and password_hash is not distinct from ${p.seen} returning id`,
);

export const findPassword = reading(
  'find password',
  (p: { user_id: string }) => sql<{ password_hash: string | null }>`
    select password_hash from users where id = ${p.user_id}`,
);

/** Null leaves a name as it is. */
export const updateProfile = statement(
  'update profile',
  (p: {
    user_id: string;
    first_name: string | null;
    last_name: string | null;
    language: string | null;
    has_language: boolean;
  }) => sql<{ id: string }>`
    update users set first_name = coalesce(${p.first_name}, first_name), last_name = coalesce(${p.last_name}, last_name),
      language = case when ${p.has_language} then ${p.language} else language end
    where id = ${p.user_id} returning id`,
);

/** Names and address as the person gives them on the first visit. */
export const setProfile = statement(
  'set profile',
  (p: { user_id: string; first_name: string; last_name: string; email: string }) => sql<{ id: string }>`
    update users set first_name = ${p.first_name}, last_name = ${p.last_name}, email = ${p.email}
    where id = ${p.user_id} returning id`,
);

/** Returns no row for somebody who is not a member or has joined. `comes_back`: whether they were removed before. */
export const joinWorkspace = statement(
  'join workspace',
  (p: { tenant_id: string; user_id: string }) => sql<{ comes_back: boolean }>`
    update memberships set joined_at = now(), invited_email = null, invited_first_name = null, invited_last_name = null
    where tenant_id = ${p.tenant_id} and user_id = ${p.user_id} and removed_at is null and joined_at is null
    returning rejoined_at is not null as comes_back`,
);
