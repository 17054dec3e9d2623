import { useMembers } from '../../client/members.ts';

/** The members of the workspace by name, to choose an owner from. */
export function useOwners(): { id: string; label: string }[] {
  return useMembers().members.map(({ id, name }) => ({ id, label: name }));
}
