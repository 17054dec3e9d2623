import { expect, test } from 'vitest';
import { holdTable } from './locks.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

test('however many probe /readyz, the database is asked once', async () => {
  const { client } = await world.workspace();
  await client.get('/me');
  const lock = await holdTable(world.databaseUrl, 'schema_migrations');
  const probes = Array.from({ length: 50 }, () => fetch(`${world.origin}/readyz`));
  await lock.awaited();
  // Eight connections are free for requests; fifty probes with a query each would take them all.
  expect((await client.get('/companies')).status).toBe(200);
  const [{ waiting }] = await world.sql(
    "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  expect(waiting).toBe(1);
  await lock.commit();
  const statuses = new Set((await Promise.all(probes)).map(({ status }) => status));
  expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true);
  await expect.poll(async () => (await fetch(`${world.origin}/readyz`)).status).toBe(200);
});

test('scrapes at the same time share one rendering', async () => {
  const scrapes = Array.from({ length: 20 }, () => fetch(`${world.origin}/metrics`));
  const renderings = (await Promise.all(scrapes)).map((answer) => answer.text());
  // Each rendering reads the processor time again; a slow machine may take longer than one of them serves.
  expect(new Set(await Promise.all(renderings)).size).toBeLessThan(5);
});
