import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { countWaiters, holdRow, holdTable } from '../../test/locks.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

/** Bodies that create a row and name a company and the workspace's member. */
const BODIES: Record<string, (workspace: Workspace) => Promise<object>> = {
  async tasks({ member, company }) {
    const { id } = await company();
    return { title: 'Ring', due_date: '2026-01-15T09:00:00Z', user_id: member.id, related_company_id: id };
  },
  async offers({ member, company }) {
    return { title: 'Avtale', user_id: member.id, company_id: (await company()).id };
  },
};

test.each(Object.keys(BODIES))(
  'a repeat of %s is 409 even when the row, and what it names, has gone in the meantime',
  async (list) => {
    const workspace = await world.workspace();
    const { client, member } = workspace;
    const body = { id: randomUUID(), ...(await BODIES[list]!(workspace)) };
    expect((await client.post(`/${list}`, body)).status).toBe(201);
    expect((await (await workspace.signIn()).delete(`/${list}/${body.id}`)).status).toBe(204);
    await workspace.removeMember(member);
    const again = await client.post(`/${list}`, body);
    expect([again.status, again.body.code]).toEqual([409, 'id_already_used']);
    expect(again.body.error).toMatch(/ belongs to (?:a deleted task|a deleted offer)$/);
  },
);

test.each(['deleted', 'restored'])(
  'a row that was created again while it was deleted can be %s',
  async (change) => {
    const workspace = await world.workspace();
    const { owner, client } = workspace;
    const browser = await workspace.signIn();
    const first = await workspace.task({ title: 'First' });
    await world.query('delete from task_words where tenant_id = $1', [workspace.id]);
    const id = randomUUID();
    const companies = await holdTable(world.databaseUrl, 'companies');
    const fields = { id, user_id: owner.id, due_date: '2026-01-15T09:00:00Z' };
    const again = client.post('/tasks', { ...fields, title: 'Again' });
    await companies.awaited();
    // The request has found the id unused. A new row would wait for the companies, too.
    await world.query('update tasks set id = $2 where id = $1', [first.id, id]);
    const deletion = await holdRow(
      world.databaseUrl,
      "insert into deleted_rows (tenant_id, resource, id) values ($1, 'task', $2)",
      [workspace.id, id],
    );
    const deleted = browser.delete(`/tasks/${id}`);
    await deletion.awaited();
    await companies.commit();
    await expect.poll(() => countWaiters(world)).toBe(2);
    await deletion.run('rollback');
    await deletion.commit();
    expect([(await deleted).status, (await again).status]).toEqual([204, 201]);

    if (change === 'deleted') expect((await browser.delete(`/tasks/${id}`)).status).toBe(204);
    const restored = await browser.post(`/tasks/${id}/restore`, {});
    expect([restored.status, restored.body.data?.title]).toEqual([200, 'Again']);
    expect((await client.get(`/tasks/${id}`)).body.data).toEqual(restored.body.data);
    expect((await browser.delete(`/tasks/${id}`)).status).toBe(204);
  },
);
