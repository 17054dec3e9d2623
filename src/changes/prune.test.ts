import { Client as Connection } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { unjudged } from '../../test/unjudged.ts';
import { sendWithKey } from '../../test/repeats.ts';
import { countWaiters } from '../../test/locks.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { removeInBatches } from '../db/batches.ts';
import { connect } from '../db/connect.ts';
import { LOCKS } from '../db/locks.ts';
import { deleteExpiredAnswers } from '../http/idempotency.ts';
import { pruneEach } from '../service/retention.ts';
import { pruneChanges } from './prune.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
afterAll(() => db.close());

const CUTOFF = Temporal.Instant.from('2026-01-01T00:00:00Z');

/** Adds entries, of which the first `old` are older than the cutoff. */
async function contacts(workspace: Workspace, count: number, old: number): Promise<void> {
  for (let number = 0; number < count; number++) await workspace.contact();
  await world.query(
    `update changes set at = '2025-12-31T23:59:59Z' where tenant_id = $1 and draw in
     (select draw from changes where tenant_id = $1 order by draw limit $2)`,
    [workspace.id, old],
  );
}

async function page({ client }: Workspace, query = '') {
  const { status, body } = await client.get(`/changes${query}`);
  if (status !== 200) return { status, ids: [], next: '' };
  const ids: number[] = body.data.map(({ id }: { id: number }) => id);
  return { status, ids, next: body.page.next_cursor as string };
}

describe('entries older than the cutoff', () => {
  test('are removed, including those that nobody has read, and nothing else is', async () => {
    const [workspace, other] = [await world.workspace(), await world.workspace()];
    await contacts(workspace, 7, 5);
    await contacts(other, 2, 0);
    expect(await pruneEach(db, pruneChanges, CUTOFF, { batch: 2 })).toBe(5);
    expect((await page(workspace)).ids).toEqual([6, 7]);
    expect((await page(other)).ids).toEqual([1, 2]);
    expect(await pruneEach(db, pruneChanges, CUTOFF, { batch: 2 })).toBe(0);
  });

  test('stay while one with a lower number is younger: what is left has no gaps', async () => {
    const workspace = await world.workspace();
    await contacts(workspace, 6, 6);
    await page(workspace);
    await world.query('update changes set at = now() where tenant_id = $1 and id = 3', [workspace.id]);
    expect(await pruneEach(db, pruneChanges, CUTOFF)).toBe(2);
    expect((await page(workspace)).ids).toEqual([3, 4, 5, 6]);
  });

  test('make earlier cursors 410; the cursor at their end and later ones still work, even when no entry is left', async () => {
    const workspace = await world.workspace();
    await contacts(workspace, 6, 4);
    const start = await page({ ...workspace, client: workspace.client }, '?cursor=&resource=offer&limit=1');
    const cursors = await Promise.all([1, 2, 3, 4, 5].map((limit) => page(workspace, `?limit=${limit}`)));
    await pruneEach(db, pruneChanges, CUTOFF);
    const after = async ({ next }: { next: string }) => page(workspace, `?cursor=${next}`);
    const statuses = await Promise.all(cursors.map(after));
    expect(statuses.map(({ status, ids }) => [status, ids])).toEqual([
      [410, []],
      [410, []],
      [410, []],
      [200, [5, 6]],
      [200, [6]],
    ]);
    expect((await after(start)).status).toBe(200);
    await pruneEach(db, pruneChanges, Temporal.Now.instant().add({ minutes: 1 }));
    expect((await page(workspace)).ids).toEqual([]);
    expect((await after(cursors[4]!)).status).toBe(410);
    const { next } = await page(workspace, '?cursor=now');
    await workspace.contact();
    expect((await after({ next })).ids).toEqual([7]);
    expect((await page(workspace)).ids).toEqual([7]);
  });

  test('are left to the process that removes them already', async () => {
    const workspace = await world.workspace();
    await contacts(workspace, 2, 2);
    const holder = new Connection({ connectionString: world.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    // On Citus the lock is taken on the node that has the workspace.
    await holder.query('select pg_advisory_xact_lock($1) from changes where tenant_id = $2 limit 1', [
      LOCKS.pruneChanges,
      workspace.id,
    ]);
    expect(await pruneEach(db, pruneChanges, CUTOFF)).toBe(0);
    await holder.query('rollback');
    await holder.end();
    expect(await pruneEach(db, pruneChanges, CUTOFF)).toBe(2);
  });

  test('are never removed between a reader’s cursor and its page: it gets what follows, or 410', async () => {
    const workspace = await world.workspace();
    await contacts(workspace, 1, 1);
    let { next } = await page(workspace);
    let expected = 2;
    const outcomes = new Set<number>();
    const written = new AbortController();
    const writing = Array.from({ length: 4 }, async () => {
      while (!written.signal.aborted) await workspace.contact();
    });
    const pruning = (async () => {
      while (!written.signal.aborted) {
        // Four writers outrun one reader, so that it falls behind the entries that are kept, at any speed.
        const [kept] = await world.query(
          'select at from changes where tenant_id = $1 order by id desc offset 9 limit 1',
          [workspace.id],
        );
        if (kept) await pruneEach(db, pruneChanges, kept.at.toTemporalInstant(), { batch: 3 });
      }
    })();
    for (let turn = 0; turn < 150 || outcomes.size < 2; turn++) {
      const read = await page(workspace, `?limit=2&cursor=${next}`);
      outcomes.add(read.status);
      if (read.status === 200) {
        expect(read.ids).toEqual(read.ids.map((_, index) => expected + index));
        next = read.next;
        expected += read.ids.length;
      } else {
        expect(read.status).toBe(410);
        const now = await page(workspace, '?cursor=now');
        expect([now.status, now.ids]).toEqual([200, []]);
        next = now.next;
        expected = JSON.parse(Buffer.from(next, 'base64url').toString())[1] + 1;
      }
    }
    written.abort();
    await Promise.all([...writing, pruning]);
    expect(outcomes).toEqual(new Set([200, 410]));
  });
});

test('remembered answers are removed after 24 hours, one whose key was used again is not', async () => {
  const workspace = await world.workspace();
  const client = unjudged(world, workspace.client.token!);
  for (const key of ['a', 'b', 'c']) {
    await sendWithKey(client, { method: 'POST', path: '/contacts', body: { name: 'Kari' } }, key);
  }
  await world.query(
    "update remembered_answers set created_at = now() - interval '25 hours' where tenant_id = $1 and idempotency_key <> 'c'",
    [workspace.id],
  );
  const taking = new Connection({ connectionString: world.databaseUrl });
  await taking.connect();
  await taking.query('begin');
  await taking.query(
    "update remembered_answers set created_at = now() where tenant_id = $1 and idempotency_key = 'a'",
    [workspace.id],
  );
  const forgetting = removeInBatches(db, deleteExpiredAnswers, { batch: 1 });
  await expect.poll(() => countWaiters(world)).toBe(1);
  await taking.query('commit');
  await taking.end();
  await forgetting;
  await removeInBatches(db, deleteExpiredAnswers);
  const left = await world.query(
    'select idempotency_key from remembered_answers where tenant_id = $1 order by 1',
    [workspace.id],
  );
  expect(left.map(({ idempotency_key }) => idempotency_key)).toEqual(['a', 'c']);
});
