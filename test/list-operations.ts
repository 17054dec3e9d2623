import type { PermissionName } from '../src/keys/permissions.ts';
import type { Operation } from './operation.ts';
import { CONTACT, NOTE, OFFER, TASK } from './operation-fields.ts';

/** Lists that are paged by cursor alone. */
export const LISTS: readonly Operation[] = [
  cursored(
    'GET /companies/{orgNr}/timeline',
    ['companies:read'],
    NOTE,
    async (workspace) => `/companies/${(await workspace.company()).orgnr}/timeline`,
    ['not_found'],
  ),
  cursored('GET /notes', ['companies:read'], NOTE, async (workspace) => {
    const { orgnr } = await workspace.company();
    await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
    return '/notes';
  }),
  cursored('GET /contacts', ['contacts:read'], CONTACT, async (workspace) => {
    await workspace.contact();
    return '/contacts';
  }),
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
