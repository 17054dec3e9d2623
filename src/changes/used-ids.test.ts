import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { countWaiters, holdRow, holdTable } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

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
