import { afterAll, expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { setClockAhead } from '../../test/wrong-clock.ts';
import { connect } from '../db/connect.ts';
import { keyDirectory } from './directory.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
// Nothing listens on this port: the directory gets no notifications, as behind a pooler that pools by transaction.
const keys = keyDirectory(db, 'postgres://kundebok@127.0.0.1:9/kundebok');
afterAll(async () => {
  await keys.close();
  await db.close();
});

/** Refuses a look-up, as for an address that is over its limit. */
const refuse = () => false;

test('a key that was good and is revoked is unknown from its next look-up on', async () => {
  const { token = '' } = (await world.workspace()).client;
  expect(await keys.lookUp(token, () => true)).toMatchObject({ permissions: 255 });
  // It was good, so its look-ups are not refused, not even the one that finds it revoked.
  expect(await keys.lookUp(token, refuse)).toMatchObject({ permissions: 255 });
  await world.query('update api_keys set revoked_at = now()');
  expect(await keys.lookUp(token, refuse)).toBeNull();
  expect(await keys.lookUp(token, refuse)).toBe('refused');
});

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

test('a key ends by the clock of PostgreSQL, whatever that of the process says', async () => {
  const workspace = await world.workspace();
  const over = await workspace.key(['companies:read'], { expiresAt: inMinutes(-1) });
  const good = await workspace.key(['companies:read'], { expiresAt: inMinutes(10) });
  for (const hours of [-1, 1]) {
    setClockAhead(hours);
    // The service, which caches the keys, and then `keys`, which asks PostgreSQL at each look-up.
    for (const round of [1, 2]) {
      const statuses = [(await over.client.get('/me')).status, (await good.client.get('/me')).status];
      expect({ hours, round, statuses }).toEqual({ hours, round, statuses: [401, 200] });
    }
    expect(await keys.lookUp(over.token, () => true)).toBeNull();
    expect(await keys.lookUp(good.token, () => true)).toMatchObject({ id: good.id });
  }
});
