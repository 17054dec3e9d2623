import type { Database, Queryable } from '../db/connect.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { INSERTERS, type Inserter } from '../export/insert.ts';
import { FIRST_ID } from '../http/listed.ts';
import { ensureMember } from '../members/add.ts';
import { listMembers } from '../members/store.ts';
import { requireWorkspace } from '../workspaces/store.ts';
import { TIME_ZONE } from './calendar.ts';
import { countsOf, DemoRefused, type DemoCounts } from './counts.ts';
import { planHalfYear } from './half-year.ts';
import { requireRun } from './run.ts';
import { claimDemo, listOrgnrs, recordDemo, TABLES, type DemoTable } from './store.ts';
import type { DemoRows } from './story.ts';
import { COLLEAGUES } from './texts.ts';

/** How many existing members, the earliest ones, get part of the demo's work. */
const OWN_AUTHORS = 2;

/**
 * Fills a workspace with half a year of invented work, in one transaction.
 * @param options.allowExisting also fills a workspace that has companies; the demo then avoids their numbers
 * @param options.onClaimed called once no other run can begin
 * @param options.today for tests
 * @throws {DemoRefused}
 */
export function addDemo(
  db: Database,
  workspace: string,
  options: { seed: number; allowExisting: boolean; today?: Temporal.PlainDate; onClaimed?: () => void },
): Promise<DemoCounts> {
  const { seed, allowExisting, onClaimed, today = Temporal.Now.plainDateISO(TIME_ZONE) } = options;
  return db.transaction(async (transaction) => {
    const tenant = workspace;
    await requireWorkspace(transaction, workspace);
    await requireRun(transaction, tenant, 'adding');
    onClaimed?.();
    if (!(await transaction.row(claimDemo, { tenant }))) {
      throw new DemoRefused(`Workspace ${workspace} has demo data already: remove them first, with --remove`);
    }
    const taken = new Set((await transaction.rows(listOrgnrs, { tenant })).map(({ orgnr }) => orgnr));
    if (taken.size > 0 && !allowExisting) {
      throw new DemoRefused(
        `Workspace ${workspace} has companies already: create a workspace for the demo, or add --allow-existing`,
      );
    }
    const own = await transaction.rows(listMembers, {
      tenant,
      after: FIRST_ID,
      limit: OWN_AUTHORS,
      offset: 0,
    });
    const colleagues = await addColleagues(transaction, workspace);
    const authors = [...new Set([...own.map(({ id }) => id), ...colleagues.map(({ user_id }) => user_id)])];
    const ids = await insertAll(transaction, tenant, planHalfYear({ today, seed, taken, authors }));
    const members = colleagues.filter(({ isNew }) => isNew).map(({ user_id }) => user_id);
    await transaction.row(recordDemo, { tenant, members, ...ids });
    return countsOf({ memberships: members, ...ids });
  });
}

/** Adds the colleagues of the demo. Removing the demo leaves a colleague who was already a member. */
async function addColleagues(transaction: Queryable, workspace: string) {
  const added: Awaited<ReturnType<typeof ensureMember>>[] = [];
  for (const person of COLLEAGUES) {
    added.push(await ensureMember(transaction, workspace, person, 'member', { isInvited: true }));
  }
  return added;
}

type Ids = Record<DemoTable, (string | number)[]>;

/** How an import adds rows of each table. */
const INSERTER_OF: Record<DemoTable, Inserter> = {
  companies: INSERTERS.company,
  contacts: INSERTERS.contact,
  contact_points: INSERTERS.point,
  contact_companies: INSERTERS.link,
  timeline_entries: INSERTERS.timeline_entry,
  tasks: INSERTERS.task,
  offers: INSERTERS.offer,
};

async function insertAll(transaction: Queryable, workspace: string, rows: DemoRows): Promise<Ids> {
  const tenant = tenantOfCommand(transaction, workspace, 'demo');
  const ids: Partial<Ids> = {};
  for (const table of TABLES) {
    const [first] = rows[table];
    const insert = first && INSERTER_OF[table].insert(Object.keys(first));
    const inserted = insert ? await tenant.rows(insert, { rows: JSON.stringify(rows[table]) }) : [];
    ids[table] = inserted.map(({ id }) => id);
  }
  return ids as Ids;
}
