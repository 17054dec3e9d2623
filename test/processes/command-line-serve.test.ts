import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runSql } from '../database.ts';
import { codesIn, readDocument, tableUnder } from '../documents.ts';
import { startProxy } from '../proxy.ts';
import { endWithFile, ownDatabase, startService } from '../service.ts';

endWithFile();

const statusOf = (address: string) => fetch(address).then(({ status }) => status);

const url = await ownDatabase();
const through = new URL(url);
const line = await startProxy({ host: through.hostname, port: Number(through.port) });
afterAll(() => line.stop());
through.port = String(line.port);
const folder = await mkdtemp(join(tmpdir(), 'kundebok-serve-'));
afterAll(() => rm(folder, { recursive: true }));
const service = await startService({ DATABASE_URL: through.href, BACKUP_FOLDER: folder });
const ready = () => statusOf(`${service.origin}/readyz`);

test('readiness follows the database, health does not, and no restart is needed', async () => {
  expect(await ready()).toBe(200);

  line.refuse();
  await expect.poll(ready, { interval: 20 }).toBe(503);
  const refusal = await fetch(`${service.origin}/readyz`);
  expect(refusal.headers.get('retry-after')).toBe('1');
  expect(await refusal.json()).toEqual({
    error: expect.stringContaining('Not ready'),
    code: 'temporarily_unavailable',
  });
  expect(await statusOf(`${service.origin}/healthz`)).toBe(200);
  expect(await statusOf(`${service.address}/me`)).toBe(401);
  const asked = await fetch(`${service.address}/me`, { headers: { authorization: `Bearer ${service.key}` } });
  expect(asked.status).toBe(503);

  line.pass();
  await expect.poll(ready, { interval: 20 }).toBe(200);
});

test('readiness asks for the schema of this release', async () => {
  await runSql(url, "insert into schema_migrations (version, name) values (9999, '9999_future.sql')");
  await expect.poll(ready, { interval: 20 }).toBe(503);
  const { error } = (await (await fetch(`${service.origin}/readyz`)).json()) as { error: string };
  expect(error).toMatch(/schema version 9999, this release knows \d+: start the newer release/);
  await runSql(url, 'delete from schema_migrations where version = 9999');
  await expect.poll(ready, { interval: 20 }).toBe(200);
});

test('metrics are those that the documentation names, by route and never by id', async () => {
  const headers = { authorization: `Bearer ${service.key}` };
  await fetch(`${service.address}/companies/923609016`, { headers });
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  const rows = tableUnder(await readDocument('docs/operating.md'), 'Metrics');
  // A service of one process has no metrics of workers.
  for (const name of rows
    .flatMap(([names]) => codesIn(names))
    .filter((one) => !one.startsWith('kundebok_workers'))) {
    expect(metrics).toMatch(new RegExp(`^${name.replace('*', '\\w+')}[{ _]`, 'm'));
  }
  expect(metrics).toContain('method="GET",route="/api/v1/companies/{orgNr}",status="404"');
  expect(metrics).not.toContain('923609016');
});

test('two services that start at once on an empty database make one workspace between them', async () => {
  const settings = { DATABASE_URL: await ownDatabase({ empty: true }) };
  const both = await Promise.all([startService(settings), startService(settings)]);
  expect(both.filter(({ key }) => key !== undefined)).toHaveLength(1);
  expect(await Promise.all(both.map((service) => service.stop()))).toEqual([0, 0]);
});
