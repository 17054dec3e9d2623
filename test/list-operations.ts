import type { PermissionName } from '../src/keys/permissions.ts';
import { OFFER, TASK, type Operation } from './operation-fields.ts';

/** Lists that are paged by cursor alone. */
export const LISTS: readonly Operation[] = [
  cursored('GET /tasks', ['tasks:read'], TASK, async (workspace) => {
    await workspace.task();
    return '/tasks';
  }),
  cursored('GET /offers', ['offers:read'], OFFER, async (workspace) => {
    await workspace.offer();
    return '/offers';
  }),
];

function cursored(
  route: string,
  needs: readonly PermissionName[],
  shows: readonly string[],
  path: Operation['path'],
  fails: readonly string[] = [],
): Operation {
  return { route, needs, success: 200, fails, shows, path, list: true, cursored: true };
}
