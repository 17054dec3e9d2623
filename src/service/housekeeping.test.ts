import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
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
    world.sql("update changes set at = now() - interval '25 hours' where tenant_id = $1", [workspace.id]);
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

test('a failed run is reported, and the next one takes place all the same', async () => {
  const clock = handClock();
  const errors: unknown[] = [];
  const nowhere = 'postgres://kundebok@127.0.0.1:9/nowhere';
  const onError = (error: unknown) => errors.push(error);
  const housekeeping = startHousekeeping(nowhere, { changesKeptDays: 1, onError, after: clock.after });
  for (const round of [1, 2]) {
    clock.timers.at(-1)!.run();
    await due(clock, round + 1);
    expect(errors).toHaveLength(round);
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
