import { CommandError } from '../cli/output.ts';
import type { Touched } from './store.ts';

/** The state of the workspace does not allow adding or removing the demo. */
export class DemoRefused extends CommandError {}

/** The names that people use for the rows of a table. */
const NAMES = {
  memberships: 'members',
  companies: 'companies',
  contacts: 'contacts',
  contact_points: 'points',
  contact_companies: 'links',
  timeline_entries: 'notes',
  tasks: 'tasks',
  offers: 'offers',
} as const satisfies Record<Touched, string>;

/** How many rows of each kind. */
export type DemoCounts = Record<(typeof NAMES)[Touched], number>;

export function countsOf(rows: Record<Touched, readonly unknown[]>): DemoCounts {
  const counts = Object.entries(NAMES).map(([table, name]) => [name, rows[table as Touched].length]);
  return Object.fromEntries(counts) as DemoCounts;
}
