import type { Database, Queryable } from '../db/connect.ts';
import { violates } from '../db/unavailable.ts';
import { endResets, findLink, lockPerson, useLink, type StoredLink } from '../members/link-store.ts';
import { digestOf } from '../keys/key.ts';
import { FIRST_OWNER_EMAIL } from '../members/schema.ts';
import { emailKey, findUserByEmail } from '../members/store.ts';
import { invalidRequest, Problem } from '../http/problem.ts';
import { REQUIRED } from '../http/rule.ts';
import type { Proven, Target } from './enter.ts';
import { insertIdentity, removeOtherWays } from './identity-store.ts';
import { hashPassword } from './password.ts';
import type { Identity } from './provider.ts';
import { deleteOtherSessions, joinWorkspace, listOwnWorkspaces, setPassword, setProfile } from './store.ts';

/** How the person will sign in, and their names. */
type Answers = {
  first_name?: string;
  last_name?: string;
  email?: string;
  password?: string;
  /** An account at the identity provider, in place of names and a password. */
  identity?: Identity;
  remove_other_ways?: boolean;
};

type Followed = Target & {
  /** What a link for a new password removed besides sessions; undefined for an invitation. */
  reset?: { removed_passkeys: number; removed_identities: number };
};

/** @param digest of the link's token. @throws {Problem} not_found, link_used */
export async function readLink(db: Queryable, digest: Buffer): Promise<StoredLink> {
  const link = await findAnyLink(db, digest);
  if (link.is_over) throw linkUsed();
  return link;
}

/** Like `readLink`, but returns a link that is over as well. @throws {Problem} not_found */
export async function findAnyLink(db: Queryable, digest: Buffer): Promise<StoredLink> {
  const link = await db.row(findLink, { digest });
  if (!link) throw new Problem('not_found', 'There is no such link: check that it was copied as a whole');
  return link;
}

/**
 * Follows a link, once. A person without an account gets one, with names and password. A person who has an
 * account must be signed in to it to join the workspace, so a link in the wrong hands is of no use. A member who has
 * signed in enters the workspace of their invitation also after it was used: an earlier answer may have been lost.
 * @param digest of the link's token
 * @param proven who has signed in, if anybody
 * @returns whose session to begin, in which workspace
 * @throws {Problem} not_found, link_used, sign_in_first, sign_in_failed, account_linked_elsewhere, invalid_request
 */
export async function followLink(
  db: Database,
  digest: Buffer,
  answers: Answers,
  proven: Proven | undefined,
): Promise<Followed> {
  const link = await findAnyLink(db, digest);
  const { user_id, tenant_id } = link;
  if (link.is_over) {
    if (proven?.user_id === user_id && (await hasJoined(db, link))) return { ...proven, tenant_id };
    throw linkUsed();
  }
  if (link.kind === 'invitation' && answers.remove_other_ways !== undefined) {
    const message = 'is accepted only with a link for a new password';
    throw invalidRequest([{ field: 'remove_other_ways', message }]);
  }
  const joinsOnly = link.kind === 'invitation' && link.is_known;
  if (joinsOnly && proven?.user_id !== user_id) throw signInFirst(link);
  const requireProof = joinsOnly ? proven?.requireProof : undefined;
  if (link.kind === 'reset' && answers.identity) throw new Problem('not_found', 'This link sets a password');
  const { identity } = answers;
  const password_hash =
    joinsOnly || identity ? undefined : await hashPassword(required(answers, link).password);
  return db.transaction(async (transaction) => {
    // Transactions lock memberships, people and links in this order.
    const joined =
      tenant_id === null ? undefined : await transaction.row(joinWorkspace, { tenant_id, user_id });
    if (tenant_id !== null && !joined && !(await hasJoined(transaction, link))) throw linkUsed();
    await transaction.row(lockPerson, { user_id });
    // Through another link they may have got an account meanwhile, or joined another workspace, which ends a reset.
    const { is_known } = await readLink(transaction, digest);
    if (link.kind === 'invitation' && is_known !== link.is_known) throw signInFirst(link);
    await requireProof?.(transaction);
    if (!(await transaction.row(useLink, { digest }))) throw linkUsed();
    await transaction.rows(endResets, { user_id });
    if (password_hash !== undefined) await transaction.row(setPassword, { user_id, password_hash });
    // Sessions from before a removal went on in other workspaces, and must not enter this one again.
    if (password_hash !== undefined || joined?.comes_back) {
      const kept = joinsOnly ? (proven?.session_id ?? null) : null;
      await transaction.rows(deleteOtherSessions, { user_id, kept });
    }
    if (tenant_id === null) {
      const none = { removed_passkeys: 0, removed_identities: 0 };
      const reset = answers.remove_other_ways ? await removeOtherWays(transaction, user_id) : none;
      return { user_id, tenant_id, reset };
    }
    if (!joinsOnly && identity) await linkIdentity(transaction, link, identity);
    else if (!joinsOnly) await keepProfile(transaction, link, required(answers, link));
    return { user_id, tenant_id, requireProof };
  });
}

/**
 * Whose session to begin for a person who has authenticated, in the workspace of the invitation that they follow.
 * @throws {Problem} not_found, link_used, sign_in_first, sign_in_failed, invalid_request
 */
export async function targetOf(db: Database, proven: Proven, token: string | undefined): Promise<Target> {
  if (token === undefined) return { ...proven, tenant_id: null };
  const digest = digestOf(token);
  const link = await findAnyLink(db, digest);
  if (link.user_id !== proven.user_id && !link.is_over) throw signInFirst(link);
  return followLink(db, digest, {}, proven);
}

async function hasJoined(db: Queryable, { user_id, tenant_id }: StoredLink): Promise<boolean> {
  const workspaces = await db.rows(listOwnWorkspaces, { user_id });
  return workspaces.some(({ id }) => id === tenant_id);
}

/** The address of the first owner, who has not given one yet. */
const isPlaceholder = (email: string) => email === FIRST_OWNER_EMAIL;

/** What an invitation asks for; a reset asks for the password alone. */
function required({ first_name, last_name, email, password }: Answers, link: StoredLink) {
  const asked = link.kind === 'reset' ? { password } : { first_name, last_name, password };
  const missing = Object.entries(asked).filter(([, value]) => value === undefined);
  if (missing.length > 0)
    throw invalidRequest(missing.map(([field]) => ({ field, message: REQUIRED, rule: 'required' as const })));
  // The account gets the address of the invitation, not one that is typed.
  if (email !== undefined && emailKey(email) !== emailKey(link.email) && !isPlaceholder(link.email)) {
    throw invalidRequest([
      { field: 'email', message: `must be ${link.email}, the address of the invitation` },
    ]);
  }
  return {
    first_name: first_name ?? '',
    last_name: last_name ?? '',
    email: email ?? link.email,
    password: password!,
  };
}

async function keepProfile(
  transaction: Queryable,
  { user_id }: StoredLink,
  { first_name, last_name, email }: { first_name: string; last_name: string; email: string },
): Promise<void> {
  await transaction.row(setProfile, { user_id, first_name, last_name, email }).catch((error: unknown) => {
    if (!violates(error, 'users_email')) throw error;
    throw invalidRequest([{ field: 'email', message: 'belongs to somebody else', rule: 'taken' }]);
  });
}

/**
 * Where the provider gives no names, the person keeps those of the invitation. The provider's address is taken only for
 * the first owner, who has none yet, and only if nobody else has it.
 */
async function linkIdentity(transaction: Queryable, link: StoredLink, identity: Identity): Promise<void> {
  const { issuer, subject, email } = identity;
  if (!(await transaction.row(insertIdentity, { issuer, subject, user_id: link.user_id }))) {
    throw new Problem('account_linked_elsewhere', 'This account is already linked to another user');
  }
  const takesAddress =
    isPlaceholder(link.email) &&
    email !== '' &&
    !(await transaction.row(findUserByEmail, { emailKey: emailKey(email) }));
  const { first_name, last_name } = identity.first_name === '' ? link : identity;
  await keepProfile(transaction, link, { first_name, last_name, email: takesAddress ? email : link.email });
}

function signInFirst({ email }: StoredLink): Problem {
  return new Problem('sign_in_first', `${email} has an account: sign in with it, then open the link again`);
}

function linkUsed(): Problem {
  return new Problem('link_used', 'The link was used before or has expired: ask for a new one');
}
