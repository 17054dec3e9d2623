import { describe, expect, test } from 'vitest';
import { runSql } from './database.ts';
import { createKnownKey } from './known-key.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const other = await world.start();

/** A key that both servers know. */
const knownKey = async () => createKnownKey(await world.workspace(), [world, other]);

const revoke = (id: string) => world.query('update api_keys set revoked_at = now() where id = $1', [id]);

describe('a key that is revoked', () => {
  test('stops on every server within a second', async () => {
    const { id, lastStatuses } = await knownKey();
    await revoke(id);
    expect(await lastStatuses()).toEqual([401, 401]);
  });

  test('stops while it is in full use, and no later request gets through', async () => {
    const { id, clients, lastStatuses } = await knownKey();
    const progress = { over: false };
    const users = Array.from({ length: 8 }, async (_, number) => {
      const seen: number[] = [];
      while (!progress.over) seen.push((await clients[number % 2]!.get('/me')).status);
      return seen;
    });
    await revoke(id);
    expect(await lastStatuses()).toEqual([401, 401]);
    progress.over = true;
    for (const seen of await Promise.all(users)) {
      expect(new Set([...seen, 200, 401])).toEqual(new Set([200, 401]));
      expect(seen.toSorted((one, other) => one - other)).toEqual(seen);
    }
  });

  test('stops while no server can hear of it, and stays stopped when they hear again', async () => {
    const name = new URL(world.databaseUrl).pathname.slice(1);
    const listening = `from pg_stat_activity
      where datname = current_database() and (query like 'listen %' or query like 'select pg_is_in_recovery()%')`;
    const listeners = async () => (await world.query(`select pid ${listening}`)).length;
    const { id, statuses, lastStatuses } = await knownKey();
    // A line that was silent for too long is opened again after a pause.
    await expect.poll(listeners).toBeGreaterThanOrEqual(2);
    // The pools keep what they have; the lines that were cut cannot be opened again.
    await runSql(world.serverUrl, `alter database ${name} allow_connections false`);
    await world.query(`select pg_terminate_backend(pid) ${listening}`);
    await revoke(id);
    expect(await lastStatuses()).toEqual([401, 401]);
    await runSql(world.serverUrl, `alter database ${name} allow_connections true`);
    await expect.poll(listeners).toBeGreaterThanOrEqual(2);
    expect(await statuses()).toEqual([401, 401]);
  });
});
