import type { Queryable } from '../db/connect.ts';
import { answer, type Visitor } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { beginSession, digestOf } from './directory.ts';
import { deleteSessionByDigest, findProfile, findSession, listOwnWorkspaces } from './store.ts';

/**
 * Begins a session; the one that the browser had is over, so that nobody can plant one that outlives a sign-in.
 * @throws {Problem} sign_in_failed for a person without a workspace
 */
export async function enter(
  db: Queryable,
  { token: old, userAgent, network, log }: Visitor,
  { user_id, tenant_id }: { user_id: string; tenant_id: string | null },
) {
  if (old !== undefined) await db.row(deleteSessionByDigest, { digest: digestOf(old) });
  const session = await beginSession(db, { user_id, tenant_id, userAgent, network });
  const stored = await db.row(findSession, { digest: digestOf(session) });
  if (!stored) {
    log({ reason: 'member of no workspace', user_id }, 'sign-in refused');
    throw new Problem(
      'sign_in_failed',
      'You are not a member of any workspace: open the link of an invitation first',
    );
  }
  return answer(200, { data: await describeSession(db, stored) }, { session });
}

/** What the application shows of a session. */
export async function describeSession(
  db: Queryable,
  { user_id, tenant_id }: { user_id: string; tenant_id: string },
) {
  const [user, workspaces] = await Promise.all([
    db.row(findProfile, { user_id }),
    db.rows(listOwnWorkspaces, { user_id }),
  ]);
  const { role, ...workspace } = workspaces.find(({ id }) => id === tenant_id)!;
  const named = workspaces.map(({ id, name, role: own }) => ({ id, name, role: own }));
  return { user: user!, workspace, role, workspaces: named };
}
