import { afterAll, expect, test } from 'vitest';
import { openClient } from '../../test/database.ts';
import { countWaiters } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { addDemo } from './add.ts';
import { removeDemo } from './remove.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 4, onIdleError: () => {} });
afterAll(() => db.close());

async function filled() {
  const workspace = await world.workspace();
  await addDemo(db, workspace.id, { seed: 1, allowExisting: false });
  const ids = async (column: string): Promise<string[]> =>
    (await world.query(`select ${column} as ids from demo_data where tenant_id = $1`, [workspace.id]))[0].ids;
  return { workspace, contacts: await ids('contacts'), members: await ids('members') };
}

test('a contact of the demo stays if another contact was merged into it, unless that was of the demo, too', async () => {
  const { workspace, contacts } = await filled();
  const { client } = workspace;
  const own = await workspace.contact({ name: 'Kari Nordmann', notes: 'Kjenner sjefen' });
  const browser = await workspace.signIn();
  const [one, last, other, third] = contacts as [string, string, string, string];
  const merge = async (into: string, other_id: string) =>
    expect((await browser.post(`/contacts/${into}/merge`, { other_id })).status).toBe(200);
  await merge(one, own.id);
  await merge(last, one);
  await merge(other, third);
  await removeDemo(db, workspace.id);
  expect((await client.get(`/contacts/${last}`)).body.data.notes).toContain('Kjenner sjefen');
  expect((await client.get(`/contacts/${other}`)).status).toBe(404);
});

test('demo data is removed despite a deadlock with a transaction that locks the same rows', async () => {
  const { workspace, members } = await filled();
  await using other = await openClient(world.databaseUrl);
  const lock = (ids: string[]) =>
    other.query('select from memberships where tenant_id = $1 and user_id = any ($2::uuid[]) for update', [
      workspace.id,
      ids,
    ]);
  await other.query('begin');
  await lock([workspace.owner.id]);
  const removed = removeDemo(db, workspace.id);
  await expect.poll(() => countWaiters(world)).toBe(1);
  // PostgreSQL ends one of the two transactions: the removal, which has waited longer, unless this machine is slow.
  await lock(members).catch(() => {});
  await other.query('rollback');
  expect(await removed).toMatchObject({ kept_members: 0 });
});

test('a member of the demo who has joined stays, though nothing refers to them', async () => {
  const { workspace, members } = await filled();
  const [member] = members;
  await world.query("update memberships set role = 'owner', joined_at = now() where user_id = $1", [member]);
  await workspace.removeMember(workspace.owner);
  expect(await removeDemo(db, workspace.id)).toMatchObject({ kept_members: 1 });
  const left = await world.query(
    'select user_id, removed_at from memberships where tenant_id = $1 and user_id = any($2::uuid[])',
    [workspace.id, members],
  );
  expect(left).toEqual([{ user_id: member, removed_at: null }]);
});
