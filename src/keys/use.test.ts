import { afterAll, expect, test } from 'vitest';
import { holdTable } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import { setClockAhead } from '../../test/wrong-clock.ts';
import { connect } from '../db/connect.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import type { Caller } from '../http/endpoint.ts';
import { deleteOldUse, KeyUse } from './use.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
afterAll(() => db.close());

const callerOf = (tenant: string, id: string) =>
  ({ kind: 'key', id, tenant: { id: tenant } }) as unknown as Caller;

const noError = (error: unknown) => {
  throw error;
};

/** The sums over all hours: a test may run from one hour into the next. */
const stored = (key: string) =>
  world.query(
    `select sum(requests)::int as requests, sum(errors)::int as errors from key_use where key_id = $1
     group by key_id`,
    [key],
  );

test('the use of a key is shown once the service has stopped and stored its counts', async () => {
  const workspace = await world.workspace();
  const running = await world.start();
  const { id, token } = await workspace.key(['companies:read']);
  const client = running.client(token);
  for (const path of ['/companies', '/companies', '/tasks', '/companies/123']) await client.get(path);
  await running.end();
  expect(await stored(id)).toEqual([{ requests: 4, errors: 2 }]);
  const browser = await workspace.signIn();
  const { data } = (await browser.get('/keys')).body;
  const key = data.find((one: { id: string }) => one.id === id);
  expect(key).toMatchObject({ requests_24h: 4, errors_24h: 2 });
  expect(Date.now() - Date.parse(key.last_used_at)).toBeLessThan(60_000);
});

test('the last use of a key is stored by PostgreSQL’s clock, whatever that of the process says', async () => {
  const { id: tenant } = await world.workspace();
  for (const [key, hours] of [
    ['ahead', 24 * 365],
    ['behind', -24 * 365],
  ] as const) {
    setClockAhead(hours);
    const use = new KeyUse(db, noError);
    use.count({ caller: callerOf(tenant, key), status: 200 });
    await use.flush();
  }
  const used = await world.query(
    `select key_id, round(extract(epoch from now() - last_used_at) / 3600)::int as hours_ago,
       hour = date_trunc('hour', last_used_at, 'UTC') as is_its_hour
     from key_use where tenant_id = $1 order by key_id`,
    [tenant],
  );
  expect(used).toEqual([
    { key_id: 'ahead', hours_ago: 0, is_its_hour: true },
    { key_id: 'behind', hours_ago: 0, is_its_hour: true },
  ]);
});

test('a request that is answered while the service stops is counted', async () => {
  const workspace = await world.workspace();
  const running = await world.start();
  const { id, token } = await workspace.key(['contacts:read']);
  const lock = await holdTable(world.databaseUrl, 'contacts');
  const answer = running.client(token).get('/contacts');
  await lock.awaited();
  const ended = running.end();
  await lock.commit();
  expect((await answer).status).toBe(200);
  await ended;
  expect(await stored(id)).toEqual([{ requests: 1, errors: 0 }]);
});

test('two processes add to one count', async () => {
  const { id: tenant } = await world.workspace();
  const uses = [new KeyUse(db, noError), new KeyUse(db, noError)];
  for (const use of uses) use.count({ caller: callerOf(tenant, 'shared'), status: 200 });
  await Promise.all(uses.map((use) => use.flush()));
  uses[0]!.count({ caller: callerOf(tenant, 'shared'), status: 503 });
  await uses[0]!.flush();
  expect(await stored('shared')).toEqual([{ requests: 3, errors: 1 }]);
});

test('while the database is unavailable, counts wait, and none is lost or doubled', async () => {
  const { id: tenant } = await world.workspace();
  let isAway = true;
  const use = new KeyUse(
    {
      row: (statement, parameters) => db.row(statement, parameters),
      async rows(statement, parameters) {
        if (isAway) throw new DatabaseUnavailable('away');
        return db.rows(statement, parameters);
      },
    },
    noError,
  );
  const caller = callerOf(tenant, 'patient');
  use.count({ caller, status: 200 });
  await use.flush();
  use.count({ caller, status: 200 });
  await use.flush();
  expect(await stored('patient')).toEqual([]);
  isAway = false;
  await use.flush();
  await use.flush();
  expect(await stored('patient')).toEqual([{ requests: 2, errors: 0 }]);
});

test('counts that cannot be stored are dropped and reported', async () => {
  const errors: unknown[] = [];
  const use = new KeyUse(db, (error) => errors.push(error));
  use.count({ caller: callerOf('3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'lost'), status: 200 });
  await use.flush();
  await use.flush();
  expect(errors).toHaveLength(1);
});

test('people are not counted', async () => {
  const workspace = await world.workspace();
  const use = new KeyUse(db, noError);
  use.count({ caller: { ...callerOf(workspace.id, 'person'), kind: 'user' }, status: 200 });
  use.count({ caller: undefined, status: 401 });
  await use.flush();
  expect(await stored('person')).toEqual([]);
});

test('counts of old hours are deleted, but the last use of a key stays known', async () => {
  const { id: tenant } = await world.workspace();
  const add = (days: number) =>
    world.query(
      `insert into key_use select $1, 'old', date_trunc('hour', now()) - make_interval(days => $2), 1, 0, now() - make_interval(days => $2)`,
      [tenant, days],
    );
  await add(30);
  await add(10);
  await db.rows(deleteOldUse, { batch: 10 });
  // Days of 24 hours: not all days in the server's time zone have 24.
  const left = await world.query(
    "select round(extract(epoch from now() - last_used_at) / 86400)::int as days from key_use where key_id = 'old'",
  );
  expect(left).toEqual([{ days: 10 }]);
});
