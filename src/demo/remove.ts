import type { Database } from '../db/connect.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { isLocked } from '../db/unavailable.ts';
import { removeMember } from '../members/remove.ts';
import { countsOf, DemoRefused, type DemoCounts } from './counts.ts';
import { requireRun } from './run.ts';
import {
  deleteMembers,
  deletePeople,
  deleteRows,
  deleteTimelines,
  findSpareMembers,
  findUnjoinedMembers,
  findSparePeople,
  forgetDemo,
  lockDemo,
  lockRows,
  recountContacts,
  TABLES,
  type Touched,
} from './store.ts';

const MAX_TRIES = 5;

type Removed = DemoCounts & Record<`kept_${'companies' | 'contacts' | 'members'}`, number>;

type Ids = Partial<Record<Touched, (string | number)[]>>;

/**
 * Removes what the demo added to a workspace, and nothing else: a company, contact or member that
 * other data refer to stays; such a member stays as a removed one.
 * @returns how many rows of each kind were removed, and how many of the demo's rows stay
 * @throws {DemoRefused}
 * @throws {LastOwner} when the workspace would have no owner without the demo's members
 */
export async function removeDemo(
  db: Database,
  workspace: string,
  options: { onClaimed?: () => void } = {},
): Promise<Removed> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await removeAll(db, workspace, options);
    } catch (error) {
      // Requests lock some of these rows in another order.
      if (tries === MAX_TRIES || !isLocked(error)) throw error;
    }
  }
}

function removeAll(
  db: Database,
  workspace: string,
  { onClaimed }: { onClaimed?: () => void },
): Promise<Removed> {
  return db.transaction(async (transaction) => {
    const tenant = { tenant: workspace };
    await requireRun(transaction, workspace, 'removing');
    onClaimed?.();
    const demo = await transaction.row(lockDemo, tenant);
    if (!demo) throw new DemoRefused(`Workspace ${workspace} has no demo data`);
    const there: Ids = {};
    for (const table of ['memberships', 'companies', 'contacts'] as const)
      there[table] = idsOf(await transaction.rows(lockRows[table], tenant));
    const gone: Ids = {};
    for (const table of TABLES.toReversed()) {
      if (table === 'companies') await transaction.row(deleteTimelines, tenant);
      gone[table] = idsOf(await transaction.rows(deleteRows[table], tenant));
    }
    // Members who have not joined are first marked as removed, which ends the links that they have created.
    const members = tenantOfCommand(transaction, workspace, 'demo');
    for (const { id } of await transaction.rows(findUnjoinedMembers, tenant)) await removeMember(members, id);
    const spare = (await transaction.rows(findSpareMembers, tenant)).map(({ id }) => id);
    gone.memberships = idsOf(await transaction.rows(deleteMembers, { ...tenant, ids: spare }));
    await transaction.row(recountContacts, tenant);
    const people = await transaction.rows(findSparePeople, { ids: demo.members });
    await transaction.row(deletePeople, { ids: people.map(({ id }) => id) });
    await transaction.row(forgetDemo, tenant);
    const kept = (table: Touched) => there[table]!.length - gone[table]!.length;
    return {
      ...countsOf(gone as Required<Ids>),
      kept_companies: kept('companies'),
      kept_contacts: kept('contacts'),
      kept_members: kept('memberships'),
    };
  });
}

function idsOf(rows: { id: string | number }[]): (string | number)[] {
  return rows.map(({ id }) => id);
}
