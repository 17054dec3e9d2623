import { readdir, readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { runSql } from '../../test/database.ts';
import { createKnownKey } from '../../test/known-key.ts';
import { endWithFile, kundebok, kundebokJson, ownDatabase, ROOT } from '../../test/service.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { listAllKeys } from '../keys/store.ts';
import { addMember } from './add.ts';
import { LastOwner, removeMember } from './remove.ts';
import type { Role } from './roles.ts';
import { listAllMembers } from './store.ts';

const world = await createWorld();
const other = await world.start();
const db = connect({ url: world.databaseUrl, connections: 4, onIdleError: () => {} });
afterAll(() => db.close());
endWithFile();

const settings = { DATABASE_URL: world.databaseUrl };
const NOBODY = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const remove = ({ id }: Workspace, user: { id: string }) =>
  db.transaction((transaction) => removeMember(tenantOfCommand(transaction, id, 'test'), user.id));

const addAgain = ({ id, member }: Workspace, role: Role = 'member') =>
  db.transaction((transaction) => addMember(transaction, id, member, role));

async function roleOf({ id, member }: Workspace): Promise<Role | undefined> {
  const rows = await db.rows(listAllMembers, {});
  return rows.find((row) => row.workspace_id === id && row.user_id === member.id)?.role;
}

describe('a member who is removed', () => {
  test('loses their keys on every process within a second, and for good', async () => {
    const workspace = await world.workspace();
    const { id, member } = workspace;
    const key = await createKnownKey(workspace, [world, other]);
    await workspace.key(255, { user: member, revoked: true });
    const removed = await kundebokJson(
      ['user', 'remove', '--workspace', id, '--email', member.email.toUpperCase()],
      settings,
    );
    expect(removed).toEqual({ user_id: member.id, revoked_keys: 1 });
    expect(await key.lastStatuses()).toEqual([401, 401]);
    const names = ['--first-name', 'Kari', '--last-name', 'Nordmann'];
    await kundebokJson(['user', 'add', '--workspace', id, '--email', member.email, ...names], settings);
    expect(await key.statuses()).toEqual([401, 401]);

    const live = 'select id from api_keys where user_id = $1 and revoked_at is null';
    expect(await world.query(live, [member.id])).toEqual([]);
    const fresh = await workspace.key(255, { user: member });
    expect((await fresh.client.get('/me')).status).toBe(200);
    expect((await workspace.client.get('/me')).status).toBe(200);
  });

  test('whatever removed them, their earlier keys stay revoked after they are added again', async () => {
    const workspace = await world.workspace();
    const key = await createKnownKey(workspace, [world, other]);
    await workspace.removeMember(workspace.member);
    expect(await key.lastStatuses()).toEqual([401, 401]);
    await addAgain(workspace);
    expect(await key.statuses()).toEqual([401, 401]);
  });

  test('keeps what they wrote, and comes back with the role they are given then', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const { client } = await workspace.key(255, { user: workspace.member });
    const note = await client.post(`/companies/${orgnr}/notes`, { text: 'Hei' });
    await remove(workspace, workspace.member);
    await addAgain(workspace, 'owner');
    expect(await roleOf(workspace)).toBe('owner');
    await remove(workspace, workspace.member);
    expect(await roleOf(workspace)).toBeUndefined();
    await addAgain(workspace);
    expect(await roleOf(workspace)).toBe('member');
    const [row] = await world.query('select user_id from timeline_entries where id = $1', [
      note.body.data.id,
    ]);
    expect(row.user_id).toBe(workspace.member.id);
  });
});

describe('the last owner', () => {
  test('cannot be removed, and keeps their keys; with another owner they can', async () => {
    const workspace = await world.workspace();
    const { id, owner } = workspace;
    const args = ['user', 'remove', '--workspace', id, '--user', owner.id];
    expect(await kundebok(args, settings)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/last owner.*user add --role owner/),
    });
    expect((await workspace.client.get('/me')).status).toBe(200);
    await workspace.removeMember(workspace.member);
    await addAgain(workspace, 'owner');
    expect(await remove(workspace, owner)).toEqual({ user_id: owner.id, revoked_keys: 1 });
  });

  test('remains when two are removed at once', async () => {
    for (let round = 0; round < 5; round++) {
      const workspace = await world.workspace();
      await world.query("update memberships set role = 'owner' where tenant_id = $1", [workspace.id]);
      const outcomes = await Promise.allSettled(
        [workspace.owner, workspace.member].map((user) => remove(workspace, user)),
      );
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      expect(refused).toEqual([{ status: 'rejected', reason: expect.any(LastOwner) }]);
      const left = 'select from memberships where tenant_id = $1 and removed_at is null';
      expect(await world.query(left, [workspace.id])).toHaveLength(1);
    }
  });
});

test('the migration revokes the keys of members who were removed before it', async () => {
  const url = await ownDatabase({ empty: true });
  const folder = `${ROOT}migrations/`;
  const names = (await readdir(folder)).toSorted();
  const own = names.findIndex((name) => name.startsWith('0004_'));
  for (const name of names.slice(0, own)) await runSql(url, await readFile(folder + name, 'utf8'));
  await runSql(
    url,
    `insert into workspaces (id, name) values ('${NOBODY}', 'Prøve AS');
     insert into users (id, email, first_name, last_name)
       select gen_random_uuid(), name || '@example.no', name, '' from unnest(array['gone', 'here']) as name;
     insert into memberships (tenant_id, user_id, removed_at)
       select '${NOBODY}', id, case when first_name = 'gone' then timestamptz '2026-01-15 12:00Z' end from users;
     insert into api_keys (tenant_id, id, user_id, digest, permissions)
       select '${NOBODY}', first_name, id, '', 0 from users`,
  );
  await runSql(url, await readFile(folder + names[own], 'utf8'));
  const old = connect({ url, connections: 1, onIdleError: () => {} });
  const keys = await old.rows(listAllKeys, {});
  await old.close();
  expect(Object.fromEntries(keys.map((key) => [key.key_id, key.revoked_at]))).toEqual({
    gone: expect.stringContaining('2026-01-15'),
    here: null,
  });
});

test.each([
  ['nobody of that address', ['--email', 'nobody@example.no'], 1, /nobody@example\.no is not a member/],
  ['nobody of that id', ['--user', NOBODY], 1, /is not a member/],
  ['neither address nor id', [], 2, /--email or --user/],
  ['both', ['--email', 'a@b.no', '--user', NOBODY], 2, /--email or --user/],
])('removing %s is refused with a message', async (_, who, code, message) => {
  const outcome = await kundebok(['user', 'remove', '--workspace', NOBODY, ...who], settings);
  expect([outcome.code, outcome.stdout]).toEqual([code, '']);
  expect(outcome.stderr).toMatch(message);
});
