import { sql } from 'kysely';
import type { Database, Queryable } from '../db/connect.ts';
import { LOCKS } from '../db/locks.ts';
import { statement } from '../db/statement.ts';
import { createKey, type CreatedKey } from '../keys/create.ts';
import { createLink } from '../members/links.ts';
import { FIRST_OWNER_EMAIL } from '../members/schema.ts';
import { ALL_PERMISSIONS } from '../keys/permissions.ts';
import { findUnseenOwner, renameKey } from '../keys/store.ts';
import { createFirstWorkspace } from '../workspaces/create.ts';

/** The name of the first workspace until its owner changes it. It is the same in every language. */
const FIRST_WORKSPACE = 'Kundebok';

const FIRST_OWNER = { email: FIRST_OWNER_EMAIL, first_name: 'First', last_name: 'Owner' };

const NAME = 'first key';

/** The name of a first key until it has been shown; it stays if the start is killed before then. */
const UNSEEN_NAME = 'first key, perhaps never shown';

const takeTurns = statement(
  'take turns at the first key',
  () => sql`select pg_advisory_xact_lock(${sql.lit(LOCKS.firstWorkspace)})`,
);

/** What the first start shows, once: a key, and the path of the link with which the owner enters the application. */
export type First = { key: string; linkPath: string };

/**
 * Makes sure that the operator sees a first key: in a database without workspaces, creates one with its owner and
 * a key; where the only keys may never have been shown, creates another key. The earlier ones stay valid, since
 * somebody may have seen them after all.
 * @param db with at least two connections: one makes other processes wait until the key has been shown
 * @param show prints the output of a start; resolves when it has been written
 */
export async function showFirstKey(
  db: Database,
  show: (first: First | undefined) => Promise<void>,
): Promise<void> {
  await db.transaction(async (turn) => {
    await turn.row(takeTurns, {});
    const made = await db.transaction(createFirstKey);
    await show(made);
    if (made) await db.row(renameKey, { id: made.key_id, name: NAME });
  });
}

async function createFirstKey(transaction: Queryable): Promise<(First & CreatedKey) | undefined> {
  const owner =
    (await createFirstWorkspace(transaction, FIRST_WORKSPACE, FIRST_OWNER)) ??
    (await transaction.row(findUnseenOwner, { name: UNSEEN_NAME }));
  if (!owner) return undefined;
  const { workspace_id: workspace, user_id } = owner;
  const link = await createLink(transaction, { kind: 'invitation', user_id, workspace });
  const key = await createKey(transaction, {
    tenant: workspace,
    user_id,
    permissions: ALL_PERMISSIONS,
    name: UNSEEN_NAME,
    expires_at: null,
  });
  return key && { ...key, linkPath: link.path };
}
