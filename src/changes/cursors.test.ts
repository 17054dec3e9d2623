import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../test/client.ts';
import { startProxy } from '../../test/proxy.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();
const other = await world.start();

async function page(client: Client, query = '') {
  const { status, body } = await client.get(`/changes${query}`);
  expect(status).toBe(200);
  expect(body.page.next_cursor).toEqual(expect.any(String));
  return { ids: body.data.map(({ id }: { id: number }) => id), ...body.page } as {
    ids: number[];
    size: number;
    has_more: boolean;
    next_cursor: string;
  };
}

async function contacts(workspace: Workspace, count: number): Promise<void> {
  for (let number = 0; number < count; number++) await workspace.contact();
}

/** Removes what a database restored from a backup lacks: the newest entries, and how far they were numbered. */
async function restore(workspace: Workspace, last: number): Promise<void> {
  await world.query('delete from changes where tenant_id = $1 and (id > $2 or id is null)', [
    workspace.id,
    last,
  ]);
  await world.query(
    `update change_counters set last_id = $2,
       last_salt = coalesce((select salt from changes where tenant_id = $1 and id = $2), pruned_salt)
     where tenant_id = $1`,
    [workspace.id, last],
  );
}

const expired = async (client: Client, cursor: string) => {
  const { status, body } = await client.get(`/changes?cursor=${cursor}`);
  return status === 410 && body.code === 'cursor_expired';
};

describe('a reader', () => {
  test('begins with the oldest entry, or at the end, and always gets a cursor', async () => {
    const workspace = await world.workspace();
    const { client } = workspace;
    const empty = await page(client);
    expect([empty.ids, empty.has_more, empty.size]).toEqual([[], false, 100]);
    const now = await page(client, '?cursor=now');
    await contacts(workspace, 3);
    for (const query of ['', '?cursor=', `?cursor=${empty.next_cursor}`, `?cursor=${now.next_cursor}`]) {
      expect((await page(client, query)).ids).toEqual([1, 2, 3]);
    }
    expect((await page(client, '?cursor=now')).ids).toEqual([]);
    const { next_cursor } = await page(client, '?cursor=now');
    await contacts(workspace, 1);
    expect((await page(client, `?cursor=${next_cursor}`)).ids).toEqual([4]);
  });

  test('gets every entry once, page by page, on any process and with any filter', async () => {
    const workspace = await world.workspace();
    for (let round = 0; round < 4; round++) {
      const [{ id }] = await Promise.all([workspace.contact(), workspace.task(), workspace.offer()]);
      await workspace.client.post(`/contacts/${id}/points`, { type: 'mobile', value: '1' });
    }
    const whole = (await workspace.client.get('/changes')).body.data as { id: number; resource: string }[];
    expect(whole.map(({ id }) => id)).toEqual(whole.map((_, index) => index + 1));
    const clients = [workspace.client, other.client(workspace.client.token)];
    for (const filter of ['', '&resource=offer', '&resource=point', '&resource=link']) {
      const wanted = whole.filter(({ resource }) => filter === '' || filter === `&resource=${resource}`);
      const seen: number[] = [];
      let cursor = '';
      for (let turn = 0, more = true; more; turn++) {
        const next = await page(clients[turn % 2]!, `?limit=3${filter}&cursor=${cursor}`);
        expect(next.ids.length).toBeLessThanOrEqual(3);
        expect(next.size).toBe(3);
        seen.push(...next.ids);
        [cursor, more] = [next.next_cursor, next.has_more];
      }
      expect(seen).toEqual(wanted.map(({ id }) => id));
    }
  });

  test('may read a page again, and a cursor stays valid while entries are added', async () => {
    const workspace = await world.workspace();
    await contacts(workspace, 5);
    const first = await page(workspace.client, '?limit=2');
    const second = await page(workspace.client, `?limit=2&cursor=${first.next_cursor}`);
    await contacts(workspace, 2);
    expect(await page(workspace.client, `?limit=2&cursor=${first.next_cursor}`)).toEqual(second);
    expect((await page(workspace.client, `?cursor=${second.next_cursor}`)).ids).toEqual([5, 6, 7]);
  });

  test('is answered while writers never pause', async () => {
    const workspace = await world.workspace();
    const read = new AbortController();
    const writers = Array.from({ length: 8 }, async () => {
      while (!read.signal.aborted) await workspace.contact();
    });
    for (let turn = 0; turn < 10; turn++) {
      const { ids } = await page(workspace.client, '?limit=1000');
      expect(ids).toEqual(ids.map((_, index) => index + 1));
    }
    read.abort();
    await Promise.all(writers);
  });
});

const forged = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url');

test('a backlog that nobody has read is numbered with a plan that was made while the log was empty', async () => {
  const running = await world.start({ databaseConnections: 1 });
  const workspace = await world.workspace(running);
  for (let turn = 0; turn < 10; turn++) {
    await contacts(workspace, 1);
    await page(workspace.client);
  }
  await world.query(
    `insert into changes (tenant_id, resource, resource_id, action, fields, "values", actor_kind)
     select $1, 'task', n::text, 'created', '{}', '{}', 'command' from generate_series(1, 25000) as n`,
    [workspace.id],
  );
  const first = await page(workspace.client, '?limit=1000');
  expect([first.ids.length, first.has_more]).toEqual([1_000, true]);
  const { next_cursor } = await page(workspace.client, '?cursor=now');
  await contacts(workspace, 1);
  expect((await page(workspace.client, `?cursor=${next_cursor}`)).ids).toEqual([25_011]);
  let cursor = first.next_cursor;
  let read = first.ids.length;
  for (let more = true; more;) {
    const { body } = await workspace.client.get(`/changes?limit=1000&resource=task&cursor=${cursor}`);
    read += body.data.length;
    [cursor, more] = [body.page.next_cursor, body.page.has_more];
  }
  expect(read).toBe(25_010);
});

describe('a cursor', () => {
  test.each([
    ['words', 'oldest'],
    ['no place', forged(['changes'])],
    ['text for a number', forged(['changes', 'a', 1])],
    ['null', forged(['changes', null, null])],
    ['a negative place', forged(['changes', -1, 1])],
    ['a fraction', forged(['changes', 1.5, 1])],
    ['a number past bigint', forged(['changes', 1e300, 1])],
    ['too much', forged(['changes', 1, 1, 1])],
    ['another list', forged(['companies', 1, 1])],
    ['an object', forged({ changes: 1 })],
    ['what base64 would skip', `${forged(['changes', 0, 0])}%2A`],
    ['padding', `${forged(['changes', 0, 0])}%3D`],
  ])('of %s is 400', async (_, cursor) => {
    const { client } = await world.workspace();
    const { status, body } = await client.get(`/changes?cursor=${cursor}`);
    expect([status, body.code, body.details[0].field]).toEqual([400, 'invalid_request', 'cursor']);
    // Unlike the cursor of a list, it is not bound to filters and a sort.
    expect(body.error).toBe('cursor must be now, or a next_cursor of GET /changes');
  });

  test.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'resource=user',
    'resource=offer&resource=task',
    'wait=31',
    'wait=-1',
    'wait=0.5',
    'offset=0',
  ])('beside %s is 400', async (query) => {
    const { client } = await world.workspace();
    expect((await client.get(`/changes?cursor=now&${query}`)).body.code).toBe('invalid_request');
  });

  test('of another workspace is 410, and the answer names this possible cause', async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    await contacts(one, 2);
    await contacts(other, 2);
    const { next_cursor } = await page(one.client);
    const { status, body } = await other.client.get(`/changes?cursor=${next_cursor}`);
    expect([status, body.code]).toEqual([410, 'cursor_expired']);
    expect(body.error).toContain('another workspace');
  });

  test('of a place that was never given out is 410', async () => {
    const workspace = await world.workspace();
    await contacts(workspace, 2);
    await page(workspace.client);
    for (const place of [
      [2, 1],
      [3, 1],
      [0, 1],
      [1, 0],
      [2 ** 52, 1],
      [1, 2 ** 40],
    ]) {
      expect(await expired(workspace.client, forged(['changes', ...place]))).toBe(true);
    }
  });
});

describe('after a restore from a backup', () => {
  test('a cursor from before the backup works, one from after it is 410, whatever was written since', async () => {
    const workspace = await world.workspace();
    const { client } = workspace;
    await contacts(workspace, 4);
    const before = await page(client, '?limit=2');
    const after = await page(client);
    const between = await page(client, '?limit=3');
    await restore(workspace, 2);
    for (let written = 0; written < 4; written++) {
      expect(await expired(client, between.next_cursor)).toBe(true);
      expect(await expired(client, after.next_cursor)).toBe(true);
      const { ids } = await page(client, `?cursor=${before.next_cursor}`);
      expect(ids).toEqual(Array.from({ length: written }, (_, index) => 3 + index));
      await contacts(workspace, 1);
    }
  });

  test('a cursor from before the first entry works when the backup had no entries', async () => {
    const workspace = await world.workspace();
    const { next_cursor } = await page(workspace.client);
    await contacts(workspace, 2);
    const { next_cursor: later } = await page(workspace.client);
    await world.query('delete from changes where tenant_id = $1', [workspace.id]);
    await world.query('delete from change_counters where tenant_id = $1', [workspace.id]);
    expect(await expired(workspace.client, later)).toBe(true);
    await contacts(workspace, 2);
    expect(await expired(workspace.client, later)).toBe(true);
    expect((await page(workspace.client, `?cursor=${next_cursor}`)).ids).toEqual([1, 2]);
  });
});

test('a read whose connection breaks is sent again', async () => {
  const direct = new URL(world.databaseUrl);
  const line = await startProxy({ host: direct.hostname, port: Number(direct.port) });
  const url = Object.assign(new URL(world.databaseUrl), { port: String(line.port) }).href;
  const workspace = await world.workspace(await world.start({ url }));
  await contacts(workspace, 2);
  const { next_cursor } = await page(workspace.client, '?limit=1');
  for (const statement of ['read state of changes', 'list changes', 'find place in changes']) {
    line.cutAfter(statement);
    expect((await page(workspace.client, `?cursor=${next_cursor}`)).ids).toEqual([2]);
  }
  onTestFinished(() => line.stop());
});
