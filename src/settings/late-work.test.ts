import { expect, inject, test } from 'vitest';
import type { Answer, Client } from '../../test/client.ts';
import { holdRow } from '../../test/locks.ts';
import { sendWithKey } from '../../test/repeats.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';

const world = await createWorld();

/**
 * Some tests are skipped on Citus: it locks a member on another node than the work, and the removal waits for the keys
 * before it counts the work.
 */
const { isCitus } = inject('postgres');

/** Gives the member a task in a transaction that is not committed yet. */
function beginGiving({ id, member }: Workspace) {
  return holdRow(
    world.databaseUrl,
    `insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id)
     values ($1, gen_random_uuid(), 'Ring', now(), false, $2)`,
    [id, member.id],
  );
}

/** Removes the member, and does `work` when only their keys are left to revoke. */
async function removeDuring<T>(
  workspace: Workspace,
  { heir = null, by }: { heir?: string | null; by: Client },
  work: () => Promise<T>,
): Promise<{ removed: Answer; given: T }> {
  const { member } = workspace;
  const { id } = await workspace.key(255, { user: member });
  const locked = 'select id from api_keys where tenant_id = $1 and id = $2 for update';
  const held = await holdRow(world.databaseUrl, locked, [workspace.id, id]);
  const removal = by.post(`/members/${member.id}/remove`, { hand_over_to: heir });
  await held.awaited();
  const given = await work();
  await held.commit();
  return { removed: await removal, given };
}

test('work given to a member before the removal commits is handed over, too', async () => {
  const workspace = await world.workspace();
  const { member, client } = workspace;
  const heir = await workspace.addMember();
  const [task, offer, company] = [await workspace.task(), await workspace.offer(), await workspace.company()];
  const { removed, given } = await removeDuring(
    workspace,
    { heir: heir.id, by: await workspace.signIn() },
    async () => [
      await client.post('/tasks', { user_id: member.id, title: 'Ring', due_date: '2026-01-15T09:00:00Z' }),
      await client.patch(`/tasks/${task.id}`, { user_id: member.id }),
      await client.post('/offers', { user_id: member.id, title: 'Kasse', company_id: company.id }),
      await client.patch(`/offers/${offer.id}`, { user_id: member.id }),
      await client.post('/companies', { assigned_to: member.id, orgnr: freshOrgnr() }),
      await client.patch(`/companies/${company.orgnr}`, { assigned_to: member.id }),
    ],
  );
  expect(given.map(({ status }) => status)).toEqual([201, 200, 201, 200, 201, 200]);
  expect([removed.status, removed.body.data]).toEqual([
    200,
    { tasks: 2, offers: 2, companies: 2, revoked_keys: 1 },
  ]);
  const paths = given.map(({ body: { data } }, index) => {
    const list = ['tasks', 'offers', 'companies'][Math.floor(index / 2)]!;
    return `/${list}/${data.orgnr ?? data.id}`;
  });
  const rows = await Promise.all(paths.map(async (path) => (await client.get(path)).body.data));
  expect(rows.map((row) => row.user_id ?? row.assigned_to)).toEqual(paths.map(() => heir.id));
});

test.skipIf(isCitus)('work that is being given when the removal is committed is waited for', async () => {
  const workspace = await world.workspace();
  const { member, owner, client } = workspace;
  const browser = await workspace.signIn();
  const giving = await beginGiving(workspace);
  const removal = browser.post(`/members/${member.id}/remove`, { hand_over_to: owner.id });
  await giving.awaited();
  await giving.commit();
  expect((await removal).body.data.tasks).toBe(1);
  expect((await client.get('/tasks')).body.data).toMatchObject([{ user_id: owner.id }]);
});

test.skipIf(isCitus)('nothing is handed over to a member who has been removed as well', async () => {
  const workspace = await world.workspace();
  const { member, client } = workspace;
  const heir = await workspace.addMember();
  const browser = await workspace.signIn();
  const giving = await beginGiving(workspace);
  const removal = browser.post(`/members/${member.id}/remove`, { hand_over_to: heir.id });
  await giving.awaited();
  expect((await browser.post(`/members/${heir.id}/remove`, {})).status).toBe(200);
  await giving.commit();
  const { status, body } = await removal;
  expect([status, body.data.tasks]).toEqual([200, 0]);
  expect((await client.get('/tasks')).body.data).toMatchObject([{ user_id: member.id }]);
});

test.skipIf(isCitus)('late work goes to the person who removes, where nobody takes over', async () => {
  const workspace = await world.workspace();
  const { member, owner, client } = workspace;
  const by = await workspace.signIn();
  const { removed, given } = await removeDuring(workspace, { by }, () =>
    workspace.task({ user_id: member.id }),
  );
  expect([removed.status, removed.body.data.tasks]).toEqual([200, 1]);
  expect((await client.get(`/tasks/${given.id}`)).body.data.user_id).toBe(owner.id);
});

test.skipIf(isCitus)('an owner who leaves without an heir takes over nothing from themselves', async () => {
  const workspace = await world.workspace();
  const { member } = workspace;
  await world.query("update memberships set role = 'owner', joined_at = now() where tenant_id = $1", [
    workspace.id,
  ]);
  const by = await workspace.signIn(member);
  const { removed } = await removeDuring(workspace, { by }, () => workspace.task({ user_id: member.id }));
  expect([removed.status, removed.body.data.tasks]).toEqual([200, 0]);
});

test('a removal takes no Idempotency-Key: the transaction of its answer would have to end before late work follows', async () => {
  const workspace = await world.workspace();
  const { member } = workspace;
  const browser = await workspace.signIn();
  const path = `/members/${member.id}/remove`;
  const { status, body } = await sendWithKey(browser, { method: 'POST', path, body: {} }, 'k');
  expect([status, body.details[0].field]).toEqual([400, 'Idempotency-Key']);
  expect((await browser.post(path, {})).status).toBe(200);
});
