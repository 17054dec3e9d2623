import { randomBytes } from 'node:crypto';
import type { Queryable } from '../db/connect.ts';
import { digestOf } from '../keys/key.ts';
import { insertLink } from './link-store.ts';

/** How long a link can be used, in hours: an invitation must outlast a holiday. */
const LIFETIME_HOURS = { invitation: 7 * 24, reset: 24 };

/**
 * Creates a link that can be used once: it invites a person to a workspace, or lets them set a new password. The
 * token is in the answer and nowhere else; earlier links of the same kind stay valid.
 * @returns the path below the service's address, `/welcome/…`
 */
export async function createLink(
  db: Queryable,
  link: ({ kind: 'invitation'; workspace: string } | { kind: 'reset' }) & {
    user_id: string;
    /** Null, or left out, for the operator. */
    created_by?: string | null;
  },
): Promise<{ path: string; expires_at: string }> {
  const token = randomBytes(24).toString('base64url');
  const inserted = await db.row(insertLink, {
    kind: link.kind,
    user_id: link.user_id,
    tenant_id: 'workspace' in link ? link.workspace : null,
    created_by: link.created_by ?? null,
    digest: digestOf(token),
    hours: LIFETIME_HOURS[link.kind],
  });
  return { path: `/welcome/${token}`, expires_at: inserted!.expires_at };
}
