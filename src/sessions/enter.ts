import type { Database, Queryable } from '../db/connect.ts';
import { pick } from '../db/columns.ts';
import { answer, type Caller, type Visitor } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { digestOf } from '../keys/key.ts';
import { lockPerson } from '../members/link-store.ts';
import { listIdentities } from '../members/ways-in.ts';
import { beginSession } from './directory.ts';
import { hasOwnWayIn } from './identity-store.ts';
import type { Provider } from './provider.ts';
import { deleteSessionByDigest, findProfile, findSession, hasSession, listOwnWorkspaces } from './store.ts';

/** Who somebody has proved to be. */
export type Proven = {
  user_id: string;
  /** The session that proves it, if any. */
  session_id?: string;
  /** Called once the person is locked. @throws {Problem} sign_in_failed when a reset has removed the proof */
  requireProof: (transaction: Queryable) => Promise<void>;
};

/** Whose session to begin, in which workspace. */
export type Target = Pick<Proven, 'user_id'> & Partial<Proven> & { tenant_id: string | null };

/** @param isStillProven whether the proof still holds: a reset may have removed the way to sign in meanwhile */
export function provenBy(
  { log }: Visitor,
  user_id: string,
  isStillProven: (transaction: Queryable) => Promise<boolean>,
): Proven {
  return {
    user_id,
    async requireProof(transaction) {
      if (await isStillProven(transaction)) return;
      log({ reason: 'proof ended meanwhile', user_id }, 'sign-in refused');
      throw new Problem('sign_in_failed', 'Your sign-in is no longer valid: sign in again');
    },
  };
}

/**
 * Begins a session and ends the one that the browser had, so that a planted session does not outlive a sign-in.
 * @throws {Problem} sign_in_failed, no_workspace
 */
export async function enter(
  db: Database,
  { token: old, userAgent, network, log }: Visitor,
  { user_id, tenant_id, requireProof }: Target,
) {
  const { session, stored } = await db.transaction(async (transaction) => {
    await transaction.row(lockPerson, { user_id });
    await requireProof?.(transaction);
    if (old !== undefined) await transaction.row(deleteSessionByDigest, { digest: digestOf(old) });
    const token = await beginSession(transaction, { user_id, tenant_id, userAgent, network });
    const begun = await transaction.row(findSession, { digest: digestOf(token) });
    if (begun) return { session: token, stored: begun };
    log({ reason: 'member of no workspace', user_id }, 'sign-in refused');
    const message = 'You are not a member of any workspace: open the link of an invitation first';
    throw new Problem('no_workspace', message);
  });
  return answer(200, { data: await describeSession(db, stored) }, { session });
}

/**
 * Locks the person until the transaction ends, so that a concurrent reset also removes what the transaction adds.
 * @throws {Problem} unauthorized
 */
export async function holdSession(
  transaction: Queryable,
  { userId: user_id, sessionId: id }: Caller,
): Promise<void> {
  await transaction.row(lockPerson, { user_id });
  if (!(await transaction.row(hasSession, { id: id! }))) throw sessionEnded();
}

/**
 * Removes ways to sign in, but not the last of somebody without a password. An account at a provider that is not the
 * configured one does not count.
 * @throws {Problem} unauthorized, last_way_in
 */
export function removeWays<Row>(
  { db, provider }: { db: Database; provider: Provider | undefined },
  caller: Caller,
  remove: (transaction: Queryable) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  return db.transaction(async (transaction) => {
    await holdSession(transaction, caller);
    const removed = await remove(transaction);
    if (removed.length > 0 && !(await canEnter(transaction, provider, caller.userId))) {
      throw new Problem('last_way_in', 'This is your only way to sign in: set a password first');
    }
    return removed;
  });
}

async function canEnter(db: Queryable, provider: Provider | undefined, user_id: string): Promise<boolean> {
  if (await db.row(hasOwnWayIn, { user_id })) return true;
  const identities = await db.rows(listIdentities, { user_id });
  return identities.some(({ issuer }) => provider?.isIssuer(issuer));
}

function sessionEnded(): Problem {
  return new Problem('unauthorized', 'Sign in: the session has ended');
}

/**
 * What the application shows of a session.
 * @throws {Problem} unauthorized for a person who has been removed from the workspace since the session was looked up
 */
export async function describeSession(
  db: Queryable,
  { user_id, tenant_id }: { user_id: string; tenant_id: string },
) {
  const [user, workspaces] = await Promise.all([
    db.row(findProfile, { user_id }),
    db.rows(listOwnWorkspaces, { user_id }),
  ]);
  const shown = workspaces.find(({ id }) => id === tenant_id);
  if (!shown) throw sessionEnded();
  const { role, ...workspace } = shown;
  const named = workspaces.map((own) => pick(own, ['id', 'name', 'role']));
  return { user: user!, workspace, role, workspaces: named };
}
