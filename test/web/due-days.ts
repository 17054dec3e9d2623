import type { Workspace } from '../world.ts';

/** Noon of a day from now where the workspaces are. */
export function noonIn(days: number): string {
  return Temporal.Now.plainDateISO('Europe/Oslo')
    .add({ days })
    .toZonedDateTime({ timeZone: 'Europe/Oslo', plainTime: '12:00' })
    .toInstant()
    .toString();
}

/** A task that is due on a day, at no time of it. */
export function dated(workspace: Workspace, title: string, days: number, more: object = {}) {
  return workspace.task({ title, due_date: noonIn(days), has_time_specified: false, ...more });
}
