import type { PermissionName } from '../src/keys/permissions.ts';
import type { Field } from './operation-fields.ts';
import type { Workspace } from './workspace.ts';

/** An operation of the API, told from the outside: independent of how the service declares it. */
export type Operation = {
  route: string;
  /** All of these are needed; `anyRead` asks for one of the reads. */
  needs: readonly PermissionName[] | 'anyRead';
  success: number;
  /** Problems of the operation's own. */
  fails: readonly string[];
  body?: Record<string, Field>;
  /** Members of `data` (of each entry of it, for a list). */
  shows: readonly string[];
  list?: true;
  /** Shows the register, which all workspaces share. */
  shared?: true;
  paged?: true;
  /** Pages are found by cursor alone. */
  cursored?: true;
  /** A path that works in the workspace, made for the occasion. */
  path: (workspace: Workspace) => Promise<string>;
  /** A body that works, different each time. */
  sample?: (workspace: Workspace) => Promise<Record<string, unknown>>;
};

export function lookup(
  route: string,
  permission: PermissionName,
  shows: readonly string[],
  path: Operation['path'],
): Operation {
  return { route, needs: [permission], success: 200, fails: ['not_found'], shows, path };
}
