import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../db/connect.ts';
import { newId } from '../db/new-id.ts';
import { Tenant } from '../db/tenant.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import type { Caller } from '../http/endpoint.ts';
import type { Credentials } from '../http/guard.ts';
import { isUuid } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { sessionTokenOf } from '../http/session-cookie.ts';
import { digestOf } from '../keys/key.ts';
import { maskOfRole } from '../members/roles.ts';
import {
  findSessionIn,
  findSession,
  insertSession,
  noteMemberUse,
  renewSession,
  type StoredSession,
} from './store.ts';

/** 256 bits. */
const TOKEN_BYTES = 32;
const TOKEN_FORMAT = /^[\w-]{43}$/;

/** After how long a process records the use of a session again, and for how many sessions it remembers that. */
const NOTE_AGAIN_AFTER_MS = 60_000;
const MAX_NOTED = 10_000;

/** Sessions that a process remembers as good. */
const MAX_GOOD = 10_000;

/** Names the workspace that a page shows: the person may have left it, or switched to another one in a second tab. */
const WORKSPACE_HEADER = 'kundebok-workspace';

/**
 * The sessions that the requests of browsers present. Each request looks its session up, so that a session can end at
 * once, in every process.
 * @param onError called when the use of a session cannot be recorded though the database is available
 */
export function sessionDirectory(db: Queryable, onError: (error: unknown) => void): Credentials {
  /** Digests of tokens that were good when last looked up. Requests with invalid tokens cannot block their look-ups. */
  const wereGood = new LRUCache<string, true>({ max: MAX_GOOD });

  /**
   * Uses that this process has recently tried to record, and does not yet try again: waiting for a lock holds a
   * connection, and a failure closes it.
   */
  const noted = new LRUCache<string, true>({ max: MAX_NOTED, ttl: NOTE_AGAIN_AFTER_MS });

  /** No request waits for this or fails with it: a database that cannot be written to now can still be read. */
  function noteUse(session: StoredSession): void {
    const name = `${session.id} ${session.tenant_id}`;
    if (noted.has(name)) return;
    noted.set(name, true);
    // Both at once: the pool may be closed once the request is answered.
    Promise.all([db.row(renewSession, { id: session.id }), db.row(noteMemberUse, session)]).catch(
      (error: unknown) => {
        if (!(error instanceof DatabaseUnavailable)) onError(error);
      },
    );
  }

  async function find(digest: Buffer, name: string): Promise<Caller | null> {
    const session = await db.row(findSession, { digest });
    if (!session) {
      wereGood.delete(name);
      return null;
    }
    wereGood.set(name, true);
    if (session.is_stale) noteUse(session);
    return callerOf(db, session, async () => {
      const { tenant_id } = session;
      return (await db.row(findSessionIn, { digest, tenant_id })) !== undefined;
    });
  }

  return {
    tokenOf: sessionTokenOf,
    recall: (token) => (TOKEN_FORMAT.test(token) ? undefined : null),
    idOf: () => undefined,
    lookUp(token, admit) {
      const digest = digestOf(token);
      const name = digest.toString('base64url');
      return wereGood.has(name) || admit() ? find(digest, name) : 'refused';
    },
    unauthorized: () => new Problem('unauthorized', 'Sign in: there is no session, or it has ended'),
    refuse({ headers, query }, { tenant }) {
      // A link to a file sends no header: its operation has a parameter instead, refused later unless it is an id.
      const { workspace = '' } = query as { workspace?: string };
      const shown = headers[WORKSPACE_HEADER] ?? (isUuid(workspace) ? workspace : undefined);
      if (shown === undefined || shown === tenant.id) return undefined;
      return new Problem('workspace_changed', 'The session is in another workspace than the page shows');
    },
  };
}

function callerOf(db: Queryable, session: StoredSession, isStillGood: () => Promise<boolean>): Caller {
  const { id: sessionId, user_id: userId, tenant_id, role } = session;
  const tenant = new Tenant(db, tenant_id, { actor_kind: 'user', actor_id: userId, author_id: userId });
  return {
    kind: 'user',
    id: userId,
    userId,
    sessionId,
    permissions: maskOfRole(role),
    role,
    tenant,
    isStillGood,
  };
}

/** Begins a session. @returns its token, which is in the browser's cookie and nowhere else */
export async function beginSession(
  db: Queryable,
  session: { user_id: string; tenant_id: string | null; userAgent: string; network: string },
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const { userAgent: user_agent, ...rest } = session;
  await db.row(insertSession, { ...rest, user_agent, id: newId(), digest: digestOf(token) });
  return token;
}
