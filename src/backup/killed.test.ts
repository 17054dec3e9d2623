import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { databaseUrl } from '../../test/database.ts';
import { startProxy, type Proxy } from '../../test/proxy.ts';
import { readAllRows } from '../../test/rows.ts';
import { endWithFile, kundebok, kundebokJson, ownDatabase, startCommand } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';
import { makeBackup } from './make.ts';
import { checkBackup, restoreBackup } from './restore.ts';

endWithFile();
const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-killed-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();

/** A line to a database on which a command can be stopped at a statement. */
async function lineTo(url: string): Promise<Proxy & { url: string }> {
  const { hostname, port } = new URL(url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const through = new URL(url);
  through.port = String(proxy.port);
  return { ...proxy, url: databaseUrl(through.href, through.pathname.slice(1)) };
}

/** Runs a command until it has sent this text, and kills it there. */
async function killAfter(text: string, url: string, args: readonly string[]): Promise<void> {
  const line = await lineTo(url);
  const reached = line.holdAfter(text);
  const kill = startCommand(args, { DATABASE_URL: line.url });
  await reached;
  await kill();
  await line.stop();
}

test('a backup that is killed leaves nothing that is taken for one, and the next one is made', async () => {
  await (await world.workspace()).offer();
  const path = join(folder, 'a.backup');
  await killAfter('copy "offers"', world.databaseUrl, ['backup', path]);
  const [left, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect(left).toMatch(/^a\.backup\.[0-9a-f]{8}\.partial$/);
  expect((await stat(join(folder, left!))).mode & 0o777).toBe(0o600);
  const checked = await kundebok(['restore', '--check', join(folder, left!)]);
  expect([checked.code, checked.stderr]).toEqual([1, expect.stringMatching(/damaged|not a backup/)]);
  const made = await kundebokJson(['backup', path], { DATABASE_URL: world.databaseUrl });
  expect(made.rows).toBeGreaterThan(5);
  expect(await kundebokJson(['restore', '--check', path], {})).toMatchObject({
    whole: true,
    made_at: made.made_at,
  });
});

test('a restore that is killed leaves the database empty, wherever it is, and can be repeated', async () => {
  const path = join(folder, 'b.backup');
  await makeBackup({ databaseUrl: world.databaseUrl, path, release: '1', signal });
  const url = await ownDatabase({ empty: true });
  for (const place of ['copy "offers"', 'maintenance_work_mem', 'analyze']) {
    await killAfter(place, url, ['restore', path]);
    // The server takes the end of the connection for the end of the transaction, which it may learn late.
    await expect.poll(() => readAllRows(url), { timeout: 5_000, interval: 20 }).toEqual({});
  }
  await restoreBackup({ databaseUrl: url, file: await checkBackup(path, { signal }), signal });
  const own = ['schema_migrations'];
  expect(await readAllRows(url, own)).toEqual(await readAllRows(world.databaseUrl, own));
});
