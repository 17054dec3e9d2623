import { request } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Answer, Client } from '../../test/client.ts';
import { holdRow } from '../../test/locks.ts';
import { untilProcessed } from '../../test/until-processed.ts';
import { answerWithinSecond } from '../../test/until.ts';
import { createWorld, type Running } from '../../test/world.ts';

const world = await createWorld();

const HOUR_MS = 3_600_000;

const end = async (client: Client) =>
  (await untilProcessed(() => client.get('/changes?cursor=now'))).body.page.next_cursor as string;

/** A request that waits, and whether it has been answered. */
function waiting(
  client: Client,
  cursor: string,
  query = '',
): { answer: Promise<Answer>; isOver: () => boolean } {
  let over = false;
  const answer = client.get(`/changes?wait=30&cursor=${cursor}${query}`).finally(() => (over = true));
  return { answer, isOver: () => over };
}

/** Whether each wait is answered within a second. */
function areOver(client: Client, waits: { isOver: () => boolean }[]): Promise<boolean> {
  const ask = async () => {
    await end(client);
    return waits.every(({ isOver }) => isOver());
  };
  return answerWithinSecond(ask, true);
}

/** Eleven waits of one key, of which one is refused: `full` is its 429, which comes once the others wait. */
function fill(
  client: Client,
  cursor: string,
  seconds = 30,
): { full: Promise<Answer>; waits: Promise<Answer[]> } {
  const all = Array.from({ length: 11 }, () => client.get(`/changes?wait=${seconds}&cursor=${cursor}`));
  const refused = all.map(async (asked) => {
    const answer = await asked;
    if (answer.status !== 429) throw new Error(`was answered ${answer.status}`);
    return answer;
  });
  const waits = Promise.all(all).then((answers) => answers.filter(({ status }) => status !== 429));
  return { full: Promise.any(refused), waits };
}

test('an entry wakes those that wait for it, on every process, and nobody else', async () => {
  const other = await world.start();
  const [workspace, elsewhere] = [await world.workspace(), await world.workspace()];
  const token = workspace.client.token;
  const cursor = await end(workspace.client);
  const waits = [world, other].map((running) => waiting(running.client(token), cursor));
  const offers = waiting(world.client(token), cursor, '&resource=offer');
  const foreign = waiting(elsewhere.client, await end(elsewhere.client));
  const contact = await workspace.contact();
  for (const { answer } of waits) {
    const { status, body } = await answer;
    expect([status, body.data.map(({ resource_id }: { resource_id: string }) => resource_id)]).toEqual([
      200,
      [contact.id],
    ]);
  }
  expect([offers.isOver(), foreign.isOver()]).toEqual([false, false]);
  const [offer] = await Promise.all([workspace.offer(), elsewhere.contact()]);
  expect((await offers.answer).body.data).toMatchObject([{ resource: 'offer', resource_id: offer.id }]);
  expect((await foreign.answer).body.data).toHaveLength(1);
});

test('an entry of a transaction that was open all along ends a wait when the transaction commits', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const wait = waiting(client, await end(client));
  const { default: pg } = await import('pg');
  const connection = new pg.Client({ connectionString: world.databaseUrl });
  await connection.connect();
  await connection.query('begin');
  await connection.query(
    `insert into changes (tenant_id, resource, resource_id, action, fields, "values", actor_kind)
     values ($1, 'task', 'late', 'created', '{}', '{}', 'command')`,
    [workspace.id],
  );
  await end(client);
  expect(wait.isOver()).toBe(false);
  await connection.query('commit');
  expect(await areOver(client, [wait])).toBe(true);
  const { body } = await wait.answer;
  expect(body.data).toMatchObject([{ resource_id: 'late' }]);
  await connection.end();
});

test('a workspace whose entries cannot be numbered holds up no others', async () => {
  const [locked, other] = [await world.workspace(), await world.workspace()];
  await locked.contact();
  const cursors = [await end(locked.client), await end(other.client)] as const;
  const counter = await holdRow(
    world.databaseUrl,
    'select from change_counters where tenant_id = $1 for update',
    [locked.id],
  );
  const held = waiting(locked.client, cursors[0]);
  const wait = waiting(other.client, cursors[1]);
  await locked.contact();
  await counter.awaited();
  await other.contact();
  expect((await wait.answer).body.data).toHaveLength(1);
  expect(held.isOver()).toBe(false);
  await counter.commit();
  expect((await held.answer).body.data).toHaveLength(1);
});

test('a wait ends with an empty answer and a cursor to continue from', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const { status, body } = await client.get(`/changes?wait=1&cursor=${await end(client)}`);
  expect([status, body.data, body.page.has_more]).toEqual([200, [], false]);
  await workspace.contact();
  expect((await client.get(`/changes?cursor=${body.page.next_cursor}`)).body.data).toHaveLength(1);
});

test('what is there already is answered at once, and does not count as a wait', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  await workspace.contact();
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/changes?wait=30')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

describe('an eleventh wait of one key', () => {
  test('is 429, other keys can still wait, and one entry ends all waits', async () => {
    const workspace = await world.workspace();
    const [one, two] = [await workspace.key(), await workspace.key()];
    const cursor = await end(one.client);
    const { full, waits } = fill(one.client, cursor);
    expect((await full).body.code).toBe('rate_limited');
    const other = waiting(two.client, cursor);
    expect((await one.client.get(`/changes?cursor=${cursor}`)).status).toBe(200);
    expect(other.isOver()).toBe(false);
    await workspace.contact();
    const answers = [...(await waits), await other.answer];
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 200));
  });

  test('has room again after its Retry-After, which is when the first of the others ends', async () => {
    const now = performance.now.bind(performance);
    let ahead = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    onTestFinished(() => clock.mockRestore());
    const { client } = await world.workspace();
    const cursor = await end(client);
    const { full, waits } = fill(client, cursor, 20);
    const seconds = Number((await full).headers['retry-after']);
    expect(seconds).toBeGreaterThan(1);
    ahead = seconds * 1_000;
    expect((await client.get(`/changes?wait=1&cursor=${cursor}`)).status).toBe(200);
    for (const { status } of await waits) expect(status).toBe(200);
  });

  test('has room again when those that waited hang up', async () => {
    const { client } = await world.workspace();
    const cursor = await end(client);
    const hangUps = await fillHangable(world, client, `/api/v1/changes?wait=30&cursor=${cursor}`);
    const another = () => client.get(`/changes?wait=1&cursor=${cursor}`);
    expect((await another()).status).toBe(429);
    for (const hangUp of hangUps) hangUp();
    await expect.poll(async () => (await another()).status, { interval: 5 }).toBe(200);
  });
});

/** Eleven waits whose connections can be cut; resolves once one of the waits was refused. */
function fillHangable({ port }: Running, { token }: Client, path: string): Promise<(() => void)[]> {
  return new Promise((resolve) => {
    const hangUps = Array.from({ length: 11 }, () => {
      const sent = request({ host: '127.0.0.1', port, path, headers: { authorization: `Bearer ${token}` } });
      sent.on('error', () => {});
      sent.on('response', ({ statusCode }) => statusCode === 429 && resolve(hangUps));
      sent.end();
      return () => void sent.destroy();
    });
  });
}

test('a key that is revoked, or whose owner leaves, stops waiting with 401 within a second', async () => {
  const workspace = await world.workspace();
  const keys = [await workspace.key(), await workspace.key(255, { user: workspace.member })];
  const cursor = await end(workspace.client);
  const waits = keys.map(({ client }) => waiting(client, cursor));
  await Promise.all(keys.map(({ client }) => end(client)));
  await world.query('update api_keys set revoked_at = now() where id = $1', [keys[0]!.id]);
  await workspace.removeMember(workspace.member);
  expect(await areOver(workspace.client, waits)).toBe(true);
  for (const { answer } of waits) {
    const { status, body } = await answer;
    expect([status, body.code]).toEqual([401, 'unauthorized']);
  }
});

test('a key that expires stops waiting', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const workspace = await world.workspace();
  // PostgreSQL compares this with its own clock, which is not faked.
  const { client } = await workspace.key(255, { expiresAt: new Date(Date.now() + HOUR_MS) });
  const { full, waits } = fill(client, await end(workspace.client));
  await full;
  vi.advanceTimersByTime(HOUR_MS);
  for (const { status, body } of await waits) expect([status, body.code]).toEqual([401, 'unauthorized']);
});

test('a shutdown answers all who wait at once, with a cursor that another process accepts', async () => {
  // The clock is stopped, so the thirty seconds do not pass. Waits that do not end would read it for ever.
  let looks = 0;
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    if (++looks > 100_000) throw new Error('the waits go on');
    return now;
  });
  onTestFinished(() => clock.mockRestore());
  const running = await world.start();
  const workspace = await world.workspace();
  const client = running.client(workspace.client.token);
  const { full, waits } = fill(client, await end(client));
  await full;
  const ended = running.end();
  for (const { status, body } of await waits) {
    expect([status, body.data]).toEqual([200, []]);
    expect((await workspace.client.get(`/changes?cursor=${body.page.next_cursor}`)).status).toBe(200);
  }
  await ended;
});

test('however many wait, in however many workspaces, the database is asked once an interval and lends no connection', async () => {
  const running = await world.start({ databaseConnections: 2 });
  const workspaces = await Promise.all(Array.from({ length: 6 }, () => world.workspace(running)));
  const waits: Promise<Answer>[] = [];
  for (const { client } of workspaces) {
    const cursor = await end(client);
    const wait = () => untilProcessed(() => client.get(`/changes?wait=30&cursor=${cursor}`));
    const ask = async () => {
      let answer = await wait();
      // Thirty seconds may pass before all of them wait.
      while (answer.status === 200 && answer.body.data.length === 0) answer = await wait();
      return answer;
    };
    waits.push(...Array.from({ length: 8 }, ask));
  }
  // Two connections would not be enough if those who wait held one each.
  for (const { client } of workspaces) await untilProcessed(() => client.post('/contacts', { name: 'Kari' }));
  for (const { status, body } of await Promise.all(waits)) {
    expect([status, body.data.length]).toEqual([200, 1]);
  }
});
