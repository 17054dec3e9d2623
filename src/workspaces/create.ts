import type { Database, Queryable } from '../db/connect.ts';
import { newId } from '../db/new-id.ts';
import { addMember, type Person } from '../members/add.ts';
import { insertWorkspace, listWorkspaces } from './store.ts';

/** Creates a workspace with its owner, whole or not at all. */
export function createWorkspace(
  db: Database,
  name: string,
  owner: Person,
): Promise<{ workspace_id: string; user_id: string }> {
  return db.transaction((transaction) => create(transaction, name, owner));
}

/** Creates the first workspace, unless there is one. Processes that start together must take turns. */
export async function createFirstWorkspace(
  transaction: Queryable,
  name: string,
  owner: Person,
): Promise<{ workspace_id: string; user_id: string } | undefined> {
  if (await transaction.row(listWorkspaces, {})) return undefined;
  return create(transaction, name, owner);
}

async function create(transaction: Queryable, name: string, owner: Person) {
  const workspace_id = newId();
  await transaction.row(insertWorkspace, { id: workspace_id, name });
  const { user_id } = await addMember(transaction, workspace_id, owner, 'owner');
  return { workspace_id, user_id };
}
