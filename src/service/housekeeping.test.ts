import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { createWorld, type Workspace } from '../../test/world.ts';
import { setClockAhead } from '../../test/wrong-clock.ts';
import { startHousekeeping } from './housekeeping.ts';

const world = await createWorld();

/** A clock that the test advances. */
function handClock() {
  const timers: { milliseconds: number; run: () => void; isCancelled: boolean }[] = [];
  return {
    timers,
    after: (milliseconds: number, run: () => void) => {
      const timer = { milliseconds, run, isCancelled: false };
      timers.push(timer);
      return () => void (timer.isCancelled = true);
    },
  };
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Waits until so many runs have begun or are due. */
async function due(clock: ReturnType<typeof handClock>, count: number): Promise<void> {
  await expect.poll(() => clock.timers.length).toBe(count);
}

test('expired data are removed soon after the start, and then every hour', async () => {
  const workspace = await world.workspace();
  const clock = handClock();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const housekeeping = startHousekeeping(world.databaseUrl, {
    changesKeptDays: 1,
    onError,
    after: clock.after,
  });
  const age = () =>
    world.query("update changes set at = now() - interval '25 hours' where tenant_id = $1", [workspace.id]);
  const left = async () => (await workspace.client.get('/changes')).body.data.length;

  for (const round of [0, 1, 2]) {
    await workspace.contact();
    await age();
    await workspace.contact();
    const { milliseconds, run } = clock.timers[round]!;
    const usual = round === 0 ? 30 * SECOND : HOUR;
    expect(milliseconds).toBeGreaterThanOrEqual(0.8 * usual);
    expect(milliseconds).toBeLessThanOrEqual(1.2 * usual);
    run();
    await due(clock, round + 2);
    expect(await left()).toBe(1);
  }
  await housekeeping.stop();
  expect(clock.timers.map(({ isCancelled }) => isCancelled)).toEqual([false, false, false, true]);
  expect(errors).toEqual([]);
});

test('nothing is removed early because the clock of the process is ahead of PostgreSQL’s', async () => {
  const workspace = await world.workspace();
  const { orgnr } = await workspace.company();
  await workspace.client.post(`/companies/${orgnr}/notes`, { text: 'Hei' });
  const task = await workspace.task();
  await workspace.client.patch(`/tasks/${task.id}`, { completed: true });
  const left = () =>
    Promise.all(
      ['/notes', '/tasks', '/changes'].map(
        async (path) => (await workspace.client.get(path)).body.data.length,
      ),
    );
  const before = await left();
  setClockAhead(49);
  const clock = handClock();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const kept = { changesKeptDays: 2, notesKeptDays: 2, tasksKeptDays: 2 };
  const housekeeping = startHousekeeping(world.databaseUrl, { ...kept, onError, after: clock.after });
  clock.timers[0]!.run();
  await due(clock, 2);
  await housekeeping.stop();
  expect(errors).toEqual([]);
  expect(await left()).toEqual(before);
});

test('a failed run is reported, and the next one takes place all the same', async () => {
  const clock = handClock();
  const errors: string[] = [];
  const nowhere = 'postgres://kundebok@127.0.0.1:9/nowhere';
  const onError = (_: unknown, data: string) => errors.push(data);
  const housekeeping = startHousekeeping(nowhere, { changesKeptDays: 1, onError, after: clock.after });
  for (const round of [1, 2]) {
    clock.timers.at(-1)!.run();
    await due(clock, round + 1);
    expect(new Set(errors).size).toBeGreaterThan(5);
    expect(errors).toHaveLength(round * new Set(errors).size);
  }
  await housekeeping.stop();
  expect(clock.timers.at(-1)!.isCancelled).toBe(true);
});

test('stopping waits for a run that is under way, after which none is due', async () => {
  const clock = handClock();
  const housekeeping = startHousekeeping(world.databaseUrl, {
    changesKeptDays: 1,
    onError: (error) => expect.unreachable(String(error)),
    after: clock.after,
  });
  clock.timers[0]!.run();
  await housekeeping.stop();
  expect(clock.timers).toHaveLength(1);
});

test('what cannot be removed is reported by its name, and all else is removed all the same', async () => {
  const workspace = await world.workspace();
  await addOldRows(workspace, 1);
  await world.query('alter table remembered_answers rename to remembered_answers_gone');
  const errors = await runOnce();
  await world.query('alter table remembered_answers_gone rename to remembered_answers');
  expect(await countOldRows()).toEqual(NONE);
  expect(errors).toEqual(['remembered answers']);
});

// Citus allows no triggers on distributed tables.
test.skipIf(inject('postgres').isCitus)(
  'a workspace whose rows cannot be removed is named, and the rows of others are removed',
  async () => {
    const [broken, whole] = [await world.workspace(), await world.workspace()];
    for (const { client, company } of [broken, whole]) {
      await client.post(`/companies/${(await company()).orgnr}/notes`, { text: 'Ringte' });
    }
    await world.query(`
    update timeline_entries set created_at = now() - interval '3 days';
    create function refuse() returns trigger language plpgsql as $$ begin raise 'no such block'; end $$;
    create trigger refuse before delete on timeline_entries for each row
      when (old.tenant_id = '${broken.id}') execute function refuse()`);
    const errors: string[] = [];
    const clock = handClock();
    const housekeeping = startHousekeeping(world.databaseUrl, {
      changesKeptDays: 1,
      notesKeptDays: 2,
      onError: (error, data) => errors.push(`${data}: ${String(error)}`),
      after: clock.after,
    });
    clock.timers[0]!.run();
    await due(clock, 2);
    await housekeeping.stop();
    await world.query('drop function refuse cascade');
    expect(errors).toEqual([expect.stringContaining(`notes: Error: workspace ${broken.id}: no such block`)]);
    expect((await whole.client.get('/notes')).body.data).toEqual([]);
  },
);

// Citus allows no triggers on distributed tables.
test.skipIf(inject('postgres').isCitus)('no statement removes more than a thousand rows', async () => {
  const workspace = await world.workspace();
  await addOldRows(workspace, 2_500);
  await world.query(`
    create table at_once (name text, count bigint);
    create function note_count() returns trigger language plpgsql as $$ begin
      insert into at_once select tg_table_name, count(*) from gone; return null; end $$;`);
  for (const name of OLD) {
    for (const event of ['delete', 'update']) {
      await world.query(`create trigger note_${event} after ${event} on ${name} referencing old table as gone
        for each statement execute function note_count()`);
    }
  }
  expect(await runOnce()).toEqual([]);
  expect(await countOldRows()).toEqual(NONE);
  const most = await world.query(
    'select name, max(count)::int as most from at_once group by name order by name',
  );
  expect(most).toEqual(OLD.map((name) => ({ name, most: 1_000 })));
});

const OLD = ['import_rows', 'imports', 'key_use', 'sessions', 'sign_in_attempts', 'sign_in_steps'];
const NONE = { sessions: 0, steps: 0, attempts: 0, use: 0, imports: 0, to_undo: 0 };

/** Adds `count` rows of each kind that is kept for a limited time, all of them past that time. */
async function addOldRows({ id, owner }: Workspace, count: number): Promise<void> {
  const every = `from generate_series(1, ${count}) as n`;
  const digest = 'uuid_send(gen_random_uuid())';
  for (const text of [
    `insert into sessions (id, digest, user_id, user_agent, network, expires_at)
     select gen_random_uuid(), ${digest}, '${owner.id}', '', '', now() - interval '1 hour' ${every}`,
    `insert into sign_in_steps (digest, kind, content, expires_at)
     select ${digest}, 'passkey', '{}', now() - interval '1 hour' ${every}`,
    `insert into sign_in_attempts (id, account, network, at)
     select gen_random_uuid(), '', '', now() - interval '2 days' ${every}`,
    `insert into key_use select '${id}', 'old', now() - make_interval(days => 3, hours => n), 1, 0, now() ${every}`,
    `insert into key_use values ('${id}', 'old', now(), 1, 0, now())`,
    `insert into imports (tenant_id, id, resource, user_id, file_name, columns, row_count, created_at)
     select '${id}', gen_random_uuid(), 'contact', '${owner.id}', '', '{}', 0, now() - interval '91 days' ${every}`,
    ...[
      [randomUUID(), 91],
      [randomUUID(), 30],
      [randomUUID(), 2],
    ].flatMap(([one, days]) => [
      `insert into imports (tenant_id, id, resource, user_id, file_name, columns, row_count, created_at)
       values ('${id}', '${one}', 'contact', '${owner.id}', '', '{}', 0, now() - make_interval(days => ${days}))`,
      `insert into import_rows (tenant_id, import_id, line, outcome, fields, reasons, before)
       select '${id}', '${one}', n, 'updated', '{}', '[]', '{}' ${every}`,
    ]),
  ]) {
    await world.query(text);
  }
}

async function countOldRows(): Promise<object> {
  const [counts] = await world.query(`select
    (select count(*)::int from sessions where expires_at < now()) as sessions,
    (select count(*)::int from sign_in_steps) as steps,
    (select count(*)::int from sign_in_attempts) as attempts,
    (select count(*)::int from key_use where hour < now() - interval '2 days') as use,
    (select count(*)::int from imports where created_at < now() - interval '90 days') as imports,
    (select count(*)::int from import_rows where before is not null) as to_undo`);
  return counts;
}

/** @returns what was not removed */
async function runOnce(): Promise<string[]> {
  const clock = handClock();
  const failed: string[] = [];
  const housekeeping = startHousekeeping(world.databaseUrl, {
    changesKeptDays: 1,
    onError: (_, data) => failed.push(data),
    after: clock.after,
  });
  clock.timers[0]!.run();
  await due(clock, 2);
  await housekeeping.stop();
  return failed;
}
