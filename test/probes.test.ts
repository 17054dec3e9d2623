import { expect, test } from 'vitest';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { holdRow, holdTable } from './locks.ts';
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
  const [{ waiting }] = await world.query(
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
  // Each rendering has another processor time. It is reused only for a moment, so a busy machine makes several.
  expect(new Set(await Promise.all(renderings)).size).toBeLessThan(scrapes.length);
});

const backup = { folder: '/nowhere', everyMs: 86_400_000, keep: 14, withRegister: false };
const scrape = async (origin: string) => (await fetch(`${origin}/metrics`)).text();

test('a scrape asks for nothing while requests have all connections', async () => {
  const service = await world.start({ databaseConnections: 1, backup });
  const { client, contact } = await world.workspace(service);
  const { id } = await contact();
  const row = await holdRow(world.databaseUrl, 'update contacts set name = name where id = $1', [id]);
  const written = client.patch(`/contacts/${id}`, { name: 'Kari' });
  await row.awaited();
  const metrics = await scrape(service.origin);
  // The write has begun its transaction, and then nothing answers.
  expect(metrics).toContain('\nkundebok_database_answers 1\n');
  await expect.poll(() => scrape(service.origin)).toContain('\nkundebok_database_answers 0\n');
  expect(metrics).toContain('\nbackup_failing ');
  expect(metrics.match(/statement="(?:count use|find state of backups)"/g)).toBe(null);
  await row.commit();
  expect((await written).status).toBe(200);
});

test('a scrape says whether the database answers, and nothing wrong about what it could not read', async () => {
  // A scrape waits for the database only a moment, which a busy machine may exceed.
  await expect.poll(() => scrape(world.origin)).toContain('\nkundebok_database_answers 1\n');
  await expect.poll(() => scrape(world.origin)).toMatch(/\nkundebok_changes_written_total \d/);
  const service = await world.start({});
  const lock = await holdTable(world.databaseUrl, 'sessions');
  const metrics = await scrape(service.origin);
  expect(metrics).toContain('\nkundebok_database_answers 0\n');
  expect(metrics).not.toMatch(/\nkundebok_(?:sessions|changes_written_total) /);
  await lock.commit();
});

test('a scrape waits only a moment for the state of the register', async () => {
  const register = { ...sandboxRegister(), status: () => new Promise<never>(() => {}) };
  const { origin } = await world.start({ register });
  expect(await scrape(origin)).toContain('\nregister_status_read 0\n');
});

test.each(['sessions', 'backup_state'])('a scrape waits only a moment for %s', async (table) => {
  const service = await world.start({ backup });
  const lock = await holdTable(world.databaseUrl, table);
  expect(await scrape(service.origin)).toContain('\nbackup_failing ');
  // The statement of the scrape still waits; on a busy machine it may arrive only now.
  await lock.awaited();
  await lock.commit();
});
