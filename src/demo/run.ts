import type { Queryable } from '../db/connect.ts';
import { DemoRefused } from './counts.ts';
import { claimRun } from './store.ts';

/** Makes this the only run on the demo of a workspace until the transaction ends. @throws {DemoRefused} */
export async function requireRun(transaction: Queryable, workspace: string): Promise<void> {
  const { is_claimed } = (await transaction.row(claimRun, { tenant: workspace }))!;
  if (!is_claimed) {
    throw new DemoRefused(
      `Demo data of workspace ${workspace} are being added or removed: wait until that has ended`,
    );
  }
}
