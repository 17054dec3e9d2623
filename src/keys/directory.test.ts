import { afterAll, expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { keyDirectory } from './directory.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
// Nobody listens there: this directory hears of no change, as behind a pooler by transaction.
const keys = keyDirectory(db, 'postgres://kundebok@127.0.0.1:9/kundebok');
afterAll(async () => {
  await keys.close();
  await db.close();
});

/** What an address over its limit says to a look-up. */
const refuse = () => false;

test('a key that was good and is revoked is a stranger from its next look-up on', async () => {
  const { token = '' } = (await world.workspace()).client;
  expect(await keys.lookUp(token, () => true)).toMatchObject({ permissions: 255 });
  // It was good, so it needs nobody's leave; nor does the look-up that finds it revoked.
  expect(await keys.lookUp(token, refuse)).toMatchObject({ permissions: 255 });
  await world.query('update api_keys set revoked_at = now()');
  expect(await keys.lookUp(token, refuse)).toBeNull();
  expect(await keys.lookUp(token, refuse)).toBe('refused');
});
