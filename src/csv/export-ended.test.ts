import { expect, test } from 'vitest';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

/** A workspace with more contacts and more history than the sockets of a download hold. */
async function largeWorkspace(): Promise<Workspace> {
  const workspace = await world.workspace();
  await world.query(
    `insert into contacts (tenant_id, id, name, notes)
     select $1, gen_random_uuid(), repeat('Person ', 35), repeat('lang ', 4000) from generate_series(1, 1000)`,
    [workspace.id],
  );
  await world.query(
    `insert into changes (tenant_id, id, resource, resource_id, contact_id, action, fields, "values", actor_kind, actor_id)
     select $1, row_number() over (), 'contact', c.id, c.id, 'created', '{}', '{}', 'user', $2 from contacts as c, generate_series(1, 50)
     where c.tenant_id = $1`,
    [workspace.id, workspace.owner.id],
  );
  return workspace;
}

/** A file that has begun: nothing of it is read until its text is asked for. */
async function begin(session: string, path: string): Promise<Response> {
  const cookie = `kundebok_session=${session}`;
  const response = await fetch(`${world.origin}/app/api/${path}`, { headers: { cookie } });
  expect(response.status).toBe(200);
  return response;
}

test.each(['contacts.csv', 'history/export'])('%s ends when its reader is removed', async (path) => {
  const workspace = await largeWorkspace();
  const file = await begin(await workspace.sessionOf(workspace.member), path);
  await workspace.removeMember(workspace.member);
  await expect(file.text()).rejects.toThrow('terminated');
});

test('a file ends when its reader was removed, though another invitation is on its way to them', async () => {
  const workspace = await largeWorkspace();
  const file = await begin(await workspace.sessionOf(workspace.member), 'contacts.csv');
  await world.query('update memberships set joined_at = null where tenant_id = $1 and user_id = $2', [
    workspace.id,
    workspace.member.id,
  ]);
  await expect(file.text()).rejects.toThrow('terminated');
});

test('a file ends when its session does, and goes on when the session shows another workspace', async () => {
  const workspace = await largeWorkspace();
  const [other, session] = [await world.workspace(), await workspace.sessionOf(workspace.owner)];
  await world.query(
    `insert into memberships (tenant_id, user_id, role, joined_at) values ($1, $2, 'owner', now())`,
    [other.id, workspace.owner.id],
  );
  const browser = world.browser(session);
  const first = await begin(session, 'contacts.csv');
  expect((await browser.post('/session/workspace', { workspace_id: other.id })).status).toBe(200);
  expect((await first.text()).match(/;(?:Person ){35};/g)).toHaveLength(1000);
  expect((await browser.post('/session/workspace', { workspace_id: workspace.id })).status).toBe(200);
  const second = await begin(session, 'contacts.csv');
  expect((await browser.post('/sign-out', {})).status).toBe(204);
  await expect(second.text()).rejects.toThrow('terminated');
});
