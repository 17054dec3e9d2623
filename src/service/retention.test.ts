import { afterAll, expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { pruneNotes } from '../companies/prune-notes.ts';
import { pruneTasks } from '../tasks/prune.ts';
import { findCutoff, pruneEach } from './retention.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
afterAll(() => db.close());

/** Removes what has expired, as housekeeping does. */
const removeExpired = async (
  kept: { notesKeptDays?: number; tasksKeptDays?: number },
  options?: { batch: number },
) => ({
  notes: await pruneEach(db, pruneNotes, await findCutoff(db, kept.notesKeptDays), options),
  tasks: await pruneEach(db, pruneTasks, await findCutoff(db, kept.tasksKeptDays), options),
});

const ago = (days: number) => `now() - interval '${days} days'`;

test('old notes are removed, each with an entry in the change log; nothing else of the timeline is', async () => {
  const workspace = await world.workspace();
  const { orgnr, id } = await workspace.company();
  const written: number[] = [];
  for (let count = 0; count < 5; count++) {
    written.push(
      (await workspace.client.post(`/companies/${orgnr}/notes`, { text: `${count}` })).body.data.id,
    );
  }
  await world.query(`update timeline_entries set created_at = ${ago(11)} where tenant_id = $1 and id <> $2`, [
    workspace.id,
    written[1],
  ]);
  expect(await removeExpired({})).toEqual({ notes: 0, tasks: 0 });
  expect(await removeExpired({ notesKeptDays: 12 })).toEqual({ notes: 0, tasks: 0 });
  expect(await removeExpired({ notesKeptDays: 10, tasksKeptDays: 10 }, { batch: 2 })).toEqual({
    notes: 4,
    tasks: 0,
  });
  expect((await workspace.client.get('/notes')).body.data).toMatchObject([
    { id: written[1], company_id: id },
  ]);
  const { data } = (await workspace.client.get(`/companies/${orgnr}/timeline`)).body;
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['add_comment', 'create_company']);
  const entries = (await workspace.client.get('/changes?resource=note')).body.data.slice(5);
  expect(entries.map((entry: object) => ({ ...entry, id: 0, at: '' }))).toEqual(
    [0, 2, 3, 4].map((at) => ({
      id: 0,
      at: '',
      resource: 'note',
      resource_id: String(written[at]),
      orgnr,
      contact_id: null,
      action: 'deleted',
      fields: [],
      values: {},
      actor: { kind: 'command', id: 'housekeeping' },
      request_id: null,
    })),
  );
});

test('done tasks are removed when nobody has changed them for long enough; their ids cannot be used again', async () => {
  const workspace = await world.workspace();
  const [open, done, fresh] = [await workspace.task(), await workspace.task(), await workspace.task()];
  for (const { id } of [done, fresh]) await workspace.client.patch(`/tasks/${id}`, { completed: true });
  await world.query(`update tasks set updated_at = ${ago(31)} where tenant_id = $1 and id <> $2`, [
    workspace.id,
    fresh.id,
  ]);
  const opened = await workspace.task();
  await world.query(`update tasks set completed = true, updated_at = ${ago(31)} where id = $1`, [opened.id]);
  const taker = await db.pool.connect();
  await taker.query('begin');
  await taker.query('update tasks set completed = false where id = $1', [opened.id]);
  expect(await removeExpired({ tasksKeptDays: 30 })).toEqual({ notes: 0, tasks: 1 });
  await taker.query('commit');
  taker.release();
  const left = (await workspace.client.get('/tasks')).body.data.map(({ id }: { id: string }) => id);
  expect(new Set(left)).toEqual(new Set([open.id, fresh.id, opened.id]));
  const { data } = (await workspace.client.get('/changes?resource=task')).body;
  expect(data.at(-1)).toMatchObject({ resource_id: done.id, action: 'deleted' });
  const words = 'select from task_words where tenant_id = $1 and task_id = $2';
  expect(await world.query(words, [workspace.id, fresh.id])).toHaveLength(1);
  expect(await world.query(words, [workspace.id, done.id])).toEqual([]);
  const again = { id: done.id, user_id: workspace.owner.id, title: 'Ring', due_date: '2026-01-15T09:00:00Z' };
  expect((await workspace.client.post('/tasks', again)).body.code).toBe('id_already_used');
  const browser = await workspace.signIn();
  expect((await browser.post(`/tasks/${done.id}/restore`, {})).status).toBe(404);
});

test('what a person has deleted is kept no longer than what nobody has deleted; its id cannot be used again', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { orgnr } = await workspace.company();
  const paths: string[] = [];
  for (const text of ['old', 'old', 'fresh']) {
    const { id } = (await workspace.client.post(`/companies/${orgnr}/notes`, { text })).body.data;
    paths.push(`/companies/${orgnr}/notes/${id}`);
  }
  const [done, redone, open, reopened] = await Promise.all([1, 2, 3, 4].map(() => workspace.task()));
  for (const { id } of [done, redone]) await workspace.client.patch(`/tasks/${id}`, { completed: true });
  const offer = await workspace.offer();
  paths.push(...[done, redone, open, reopened].map(({ id }) => `/tasks/${id}`), `/offers/${offer.id}`);
  await world.query(
    `update timeline_entries set created_at = ${ago(11)} where tenant_id = $1 and content ->> 'text' = 'old'`,
    [workspace.id],
  );
  await world.query(`update tasks set updated_at = ${ago(11)} where id = any($1)`, [[done.id, open.id]]);
  for (const path of paths) expect((await browser.delete(path)).status).toBe(204);
  await world.query(`update deleted_rows set deleted_at = ${ago(11)} where id = any($1)`, [
    [reopened.id, offer.id],
  ]);

  const restorable = async () =>
    (
      await world.query('select id from deleted_rows where tenant_id = $1 and "row" is not null', [
        workspace.id,
      ])
    ).length;
  await removeExpired({});
  await removeExpired({ notesKeptDays: 12, tasksKeptDays: 12 });
  expect(await restorable()).toBe(paths.length);
  expect(await removeExpired({ notesKeptDays: 10, tasksKeptDays: 10 }, { batch: 1 })).toEqual({
    notes: 2,
    tasks: 2,
  });
  const statuses = [];
  for (const path of paths) statuses.push((await browser.post(`${path}/restore`, {})).status);
  expect(statuses).toEqual([404, 404, 200, 404, 200, 200, 404, 200]);
  const again = { id: done.id, user_id: workspace.owner.id, title: 'Ring', due_date: '2026-01-15T09:00:00Z' };
  expect((await workspace.client.post('/tasks', again)).body.code).toBe('id_already_used');
  const { data } = (await browser.get('/changes?resource=note')).body;
  expect(data.filter(({ action }: { action: string }) => action === 'deleted')).toHaveLength(3);
});
