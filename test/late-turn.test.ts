import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { api } from '../src/api.ts';
import { Waits } from '../src/changes/waits.ts';
import { idOf } from '../src/keys/key.ts';
import { maskOf } from '../src/keys/permissions.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { ask, sampleOf } from './ask.ts';
import type { Client } from './client.ts';
import { isCached } from './known-key.ts';
import { holdTable } from './locks.ts';
import { OPERATIONS } from './operations.ts';
import { unjudged } from './unjudged.ts';
import { waitingIn } from './waiting-requests.ts';
import { createWorld } from './world.ts';

const world = await createWorld({ databaseConnections: 4 });

/** Operations that declare that they need no database. */
const WITHOUT_DATABASE = new Set<string>(
  api({ register: sandboxRegister(), waits: new Waits() })
    .filter((endpoint) => endpoint.needsNoDatabase)
    .map(({ route }) => route),
);

const readOffer = (by: Client) => by.get(`/offers/${randomUUID()}`);

/** The status of a read that waits for its turn while `change` is made. */
async function readDuring(change: () => Promise<unknown>, client: Client, path: string): Promise<number> {
  // Metrics are reused for a moment: these may still be of the test before.
  await expect.poll(() => waitingIn(world)).toBe(0);
  const held = await holdTable(world.databaseUrl, 'offers');
  // Three of four connections are the most that one key or person may use.
  const first = [client, client, client].map(readOffer);
  await held.awaited(3);
  const waiting = client.get(path);
  await expect.poll(() => waitingIn(world)).toBe(1);
  await change();
  await held.commit();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([404, 404, 404]);
  return (await waiting).status;
}

/** Makes a function that changes a key and waits until the service knows: it then refuses another, revoked later. */
async function prepareChange(token: string, change: string): Promise<() => Promise<void>> {
  const other = (await world.workspace()).client;
  expect((await other.get('/me')).status).toBe(200);
  const update = (what: string, of: string) =>
    world.query(`update api_keys set ${what} where id = $1`, [idOf(of)]);
  return async () => {
    await update(change, token);
    await update('revoked_at = now()', other.token!);
    await expect.poll(async () => (await other.get('/me')).status).toBe(401);
  };
}

test.each([
  ['was revoked', '/companies', 'revoked_at = now()', 401],
  [
    'lost a permission',
    '/contacts?include=links',
    `permissions = ${maskOf(['contacts:read', 'offers:read'])}`,
    403,
  ],
  ['got another name', '/companies', "name = 'other'", 200],
])(
  'a read that waits for its turn while its key %s is answered accordingly',
  async (_, path, change, status) => {
    const token = (await world.workspace()).client.token!;
    const client = unjudged(world, token);
    await client.get('/me');
    const changeKey = await prepareChange(token, change);
    expect(await readDuring(changeKey, client, path)).toBe(status);
  },
);

test.each(OPERATIONS.filter(({ route }) => WITHOUT_DATABASE.has(route)))(
  '$route is answered while its key has all the requests in progress that it may, and all connections are taken',
  async (operation) => {
    // No late heartbeat may make the service distrust its cached keys: no connection would be left for a look-up.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // A service of its own: timers that begin on the fake clock never fire after it.
    const service = await world.start({ databaseConnections: 4 });
    const [{ client }, other] = [await world.workspace(service), await world.workspace(service)];
    const sample = await sampleOf(operation, other);
    for (const each of [client, other.client]) await isCached(service, each);
    const held = await holdTable(world.databaseUrl, 'offers');
    const waiting = [client, other.client, other.client, other.client].map(readOffer);
    await held.awaited(4);
    const { status } = await ask(other.client, sample);
    await held.commit();
    expect(status).toBe(operation.success);
    expect((await Promise.all(waiting)).map((each) => each.status)).toEqual([404, 404, 404, 404]);
  },
);

test.each([
  ['removed', 'removed_at = now()', 401],
  ['demoted', "role = 'member'", 403],
])('a read that waits for its turn while its reader is %s is refused', async (_, change, status) => {
  const workspace = await world.workspace();
  const admin = await workspace.addMember({}, 'admin');
  const browser = await workspace.signIn(admin);
  expect((await browser.get('/imports')).status).toBe(200);
  const update = `update memberships set ${change} where tenant_id = $1 and user_id = $2`;
  const changeMember = () => world.query(update, [workspace.id, admin.id]);
  expect(await readDuring(changeMember, browser, '/imports')).toBe(status);
});
