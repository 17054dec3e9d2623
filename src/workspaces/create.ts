import type { Database, Queryable } from '../db/connect.ts';
import { LOCKS } from '../db/locks.ts';
import { newId } from '../db/new-id.ts';
import { addMember, type Person } from '../users/add.ts';
import { insertWorkspace, listWorkspaces } from './store.ts';

/** Creates a workspace with its owner, whole or not at all. */
export function createWorkspace(
  db: Database,
  name: string,
  owner: Person,
): Promise<{ workspace_id: string; user_id: string }> {
  return db.transaction((transaction) => create(transaction, name, owner));
}

/** Creates the first workspace, unless there is one; processes that start together create one between them. */
export async function createFirstWorkspace<T>(
  db: Database,
  name: string,
  owner: Person,
  andThen: (transaction: Queryable, ids: { workspace_id: string; user_id: string }) => Promise<T>,
): Promise<T | undefined> {
  return db.transaction(async (transaction) => {
    await transaction.first(FIRST_WORKSPACE_LOCK, {});
    if (await transaction.first(listWorkspaces, {})) return undefined;
    return andThen(transaction, await create(transaction, name, owner));
  });
}

const FIRST_WORKSPACE_LOCK = {
  name: 'lock first workspace',
  text: `select pg_advisory_xact_lock(${LOCKS.firstWorkspace})`,
  reads: false,
  order: [],
};

async function create(transaction: Queryable, name: string, owner: Person) {
  const workspace_id = newId();
  await transaction.first(insertWorkspace, { id: workspace_id, name });
  const { user_id } = await addMember(transaction, workspace_id, owner, 'owner');
  return { workspace_id, user_id };
}
