import { expect, test } from 'vitest';
import { holdRow } from '../../test/locks.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

type Entry = { resource: string; action: string; fields: string[]; values: object; actor: object };

/** Gives the workspace's member work, open and done, and a key. */
async function giveWork(workspace: Workspace) {
  const user_id = workspace.member.id;
  const open = await workspace.task({ user_id, title: 'Open' });
  const done = await workspace.task({ user_id, title: 'Done' });
  await workspace.client.patch(`/tasks/${done.id}`, { completed: true });
  const company = await workspace.company({ assigned_to: user_id });
  const offer = await workspace.offer({ user_id, company_id: company.id });
  const won = await workspace.offer({ user_id, company_id: company.id, status: 'accepted' });
  const key = await workspace.key(255, { user: workspace.member });
  return { open, done, company, offer, won, key };
}

test('what a member would leave is shown, and they stay until somebody takes it over', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { key } = await giveWork(workspace);
  const path = `/members/${workspace.member.id}`;
  const { body } = await browser.get(`${path}/leaving`);
  expect(body.data).toEqual({
    open_tasks: 1,
    open_offers: 1,
    companies: 1,
    keys: [{ id: key.id, name: 'test', last_used_at: null, requests_24h: 0 }],
  });
  const refused = await browser.post(`${path}/remove`, {});
  expect([refused.status, refused.body.code]).toEqual([409, 'hand_over_first']);
  expect((await key.client.get('/me')).status).toBe(200);
});

test('open work goes to another member with an entry for each, the rest stays with the one who leaves', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { open, done, company, offer, won, key } = await giveWork(workspace);
  const before = (await workspace.client.get('/changes?cursor=now')).body.page.next_cursor;

  const removed = await browser.post(`/members/${workspace.member.id}/remove`, {
    hand_over_to: workspace.owner.id,
  });
  expect([removed.status, removed.body.data]).toEqual([
    200,
    { tasks: 1, offers: 1, companies: 1, revoked_keys: 1 },
  ]);
  const ownerOf = async (path: string) => (await workspace.client.get(path)).body.data.user_id;
  const [owner, member] = [workspace.owner.id, workspace.member.id];
  expect(await Promise.all([open, done].map(({ id }) => ownerOf(`/tasks/${id}`)))).toEqual([owner, member]);
  expect(await Promise.all([offer, won].map(({ id }) => ownerOf(`/offers/${id}`)))).toEqual([owner, member]);
  expect((await workspace.client.get(`/companies/${company.orgnr}`)).body.data.assigned_to).toBe(owner);

  const { data } = (await workspace.client.get(`/changes?cursor=${before}`)).body as { data: Entry[] };
  const actor = { kind: 'user', id: owner };
  const moved = [member, owner];
  expect(data.map(({ resource, action, values, actor: by }) => ({ resource, action, values, by }))).toEqual([
    { resource: 'task', action: 'updated', values: { user_id: moved }, by: actor },
    { resource: 'offer', action: 'updated', values: { user_id: moved }, by: actor },
    { resource: 'company', action: 'updated', values: { assigned_to: moved }, by: actor },
  ]);
  const timeline = (await workspace.client.get(`/companies/${company.orgnr}/timeline`)).body.data;
  expect(timeline[0]).toMatchObject({ type: 'change_assignment', content: { from: member, to: owner } });
  expect((await workspace.client.get('/users')).body.data.map(({ id }: { id: string }) => id)).toEqual([
    owner,
  ]);
  const { rows } = { rows: await world.query('select revoked_at from api_keys where id = $1', [key.id]) };
  expect(rows[0].revoked_at).not.toBeNull();
});

test('more than one batch is handed over whole', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await world.query(
    `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id)
     select $1, gen_random_uuid(), 'Ring', now(), false, $2 from generate_series(1, 2500)`,
    [workspace.id, workspace.member.id],
  );
  const { body } = await browser.post(`/members/${workspace.member.id}/remove`, {
    hand_over_to: workspace.owner.id,
  });
  expect(body.data.tasks).toBe(2500);
  const [{ count }] = await world.query(
    'select count(*)::int from changes where tenant_id = $1 and resource = $2',
    [workspace.id, 'task'],
  );
  expect(count).toBe(2500);
});

test('nothing is handed over when the removal is refused', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const task = await workspace.task();
  const refused = await browser.post(`/members/${workspace.owner.id}/remove`, {
    hand_over_to: workspace.member.id,
  });
  expect([refused.status, refused.body.code]).toEqual([409, 'last_owner']);
  expect((await workspace.client.get(`/tasks/${task.id}`)).body.data.user_id).toBe(workspace.owner.id);
});

test('work goes to another present member of the workspace only', async () => {
  const [workspace, elsewhere] = [await world.workspace(), await world.workspace()];
  const browser = await workspace.signIn();
  const gone = await workspace.addMember();
  await workspace.removeMember(gone);
  const path = `/members/${workspace.member.id}/remove`;
  for (const heir of [elsewhere.owner.id, gone.id, workspace.member.id]) {
    const { status, body } = await browser.post(path, { hand_over_to: heir });
    expect([status, body.code, body.details[0].field]).toEqual([400, 'invalid_reference', 'hand_over_to']);
  }
});

test('admins remove members, owners anybody, members nobody', async () => {
  const workspace = await world.workspace();
  const admins = [await workspace.addMember({}, 'admin'), await workspace.addMember({}, 'admin')];
  const [asAdmin, asMember] = [await workspace.signIn(admins[0]), await workspace.signIn(workspace.member)];
  const status = async (browser: typeof asAdmin, id: string) =>
    (await browser.post(`/members/${id}/remove`, {})).status;
  const other = await workspace.addMember();
  expect(await status(asMember, other.id)).toBe(403);
  expect(await status(asAdmin, workspace.owner.id)).toBe(403);
  expect(await status(asAdmin, admins[1]!.id)).toBe(403);
  expect(await status(asAdmin, other.id)).toBe(200);
  expect(await status(await workspace.signIn(), admins[0]!.id)).toBe(200);
  expect((await asAdmin.get('/session')).status).toBe(401);
});

test('writes of those who remove, take over and leave do not wait for the work to be handed over', async () => {
  const workspace = await world.workspace();
  const { member, owner, client } = workspace;
  const { open, key } = await giveWork(workspace);
  const company = await workspace.company({});
  const browser = await workspace.signIn();
  const task = 'select id from tasks where tenant_id = $1 and id = $2 for update';
  const held = await holdRow(world.databaseUrl, task, [workspace.id, open.id]);
  const removal = browser.post(`/members/${member.id}/remove`, { hand_over_to: owner.id });
  await held.awaited();
  const note = (by: typeof client) => by.post(`/companies/${company.orgnr}/notes`, { text: 'Ringte' });
  const statuses = await Promise.all([note(client), note(key.client)]);
  await held.commit();
  expect(statuses.map(({ status }) => status)).toEqual([201, 201]);
  expect((await removal).status).toBe(200);
});

test('those who remove, take over or leave can read while the work is handed over', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = workspace.owner;
  await world.query('update memberships set last_used_at = null where user_id = $1', [id]);
  const locked = 'select from memberships where tenant_id = $1 and user_id = $2 for no key update';
  const held = await holdRow(world.databaseUrl, locked, [workspace.id, id]);
  expect((await browser.get('/companies')).status).toBe(200);
  // Their use of the workspace is recorded once the row is free.
  await held.awaited();
  await held.commit();
});

test('work given while the rest is handed over is handed over, too', async () => {
  const workspace = await world.workspace();
  const { member, owner, client } = workspace;
  const { company } = await giveWork(workspace);
  const browser = await workspace.signIn();
  // Companies are handed over last.
  const locked = 'select id from companies where tenant_id = $1 and id = $2 for update';
  const held = await holdRow(world.databaseUrl, locked, [workspace.id, company.id]);
  const removal = browser.post(`/members/${member.id}/remove`, { hand_over_to: owner.id });
  await held.awaited();
  const late = await workspace.task({ user_id: member.id });
  await held.commit();
  expect((await removal).body.data).toEqual({ tasks: 2, offers: 1, companies: 1, revoked_keys: 1 });
  expect((await client.get(`/tasks/${late.id}`)).body.data.user_id).toBe(owner.id);
});

test('two owners who remove each other at once leave one', async () => {
  for (let round = 0; round < 3; round++) {
    const workspace = await world.workspace();
    await world.query("update memberships set role = 'owner' where tenant_id = $1", [workspace.id]);
    const [one, other] = [await workspace.signIn(), await workspace.signIn(workspace.member)];
    await Promise.all([
      one.post(`/members/${workspace.member.id}/remove`, { hand_over_to: workspace.owner.id }),
      other.post(`/members/${workspace.owner.id}/remove`, { hand_over_to: workspace.member.id }),
    ]);
    const left =
      "select role from memberships where tenant_id = $1 and removed_at is null and role = 'owner'";
    expect(await world.query(left, [workspace.id])).toHaveLength(1);
  }
});
