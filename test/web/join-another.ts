import type { Workspace, World } from '../world.ts';

/** Makes somebody a member, or the owner, of another workspace, which is called "Andre AS". */
export async function joinAnother(
  world: World,
  person: Workspace['owner'],
  role: 'member' | 'owner' = 'member',
): Promise<Workspace> {
  const other = await world.workspace();
  await world.query(
    'insert into memberships (tenant_id, user_id, role, joined_at) values ($1, $2, $3, now())',
    [other.id, person.id, role],
  );
  await world.query('update workspaces set name = $1 where id = $2', ['Andre AS', other.id]);
  return other;
}
