import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readAllRows } from '../../test/rows.ts';
import { endWithFile, kundebok, kundebokHere, kundebokJson, ownDatabase } from '../../test/service.ts';
import { stopAfter } from '../../test/stop-after.ts';
import { createWorld } from '../../test/world.ts';
import { makeBackup } from './make.ts';
import { checkBackup, restoreBackup } from './restore.ts';

endWithFile();
const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-killed-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();

const killAfter = (text: string, url: string, args: readonly string[]) =>
  stopAfter(text, url, args, 'SIGKILL');

test('a killed backup leaves no file that passes for a backup, and can be repeated', async () => {
  // The use of the key is written before the service has ended.
  const service = await world.start();
  await (await world.workspace(service)).offer();
  await service.end();
  const path = join(folder, 'a.backup');
  await killAfter('copy "offers"', world.databaseUrl, ['backup', path]);
  const [left, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect(left).toMatch(/^a\.backup\.[0-9a-f]{8}\.partial$/);
  expect((await stat(join(folder, left!))).mode & 0o777).toBe(0o600);
  const checked = await kundebok(['restore', '--check', join(folder, left!)]);
  expect([checked.code, checked.stderr]).toEqual([1, expect.stringMatching(/damaged|not a backup/)]);
  const made = await kundebokJson(['backup', path], { DATABASE_URL: world.databaseUrl }, kundebokHere);
  expect(made.rows).toBeGreaterThan(5);
  expect(await kundebokJson(['restore', '--check', path], {}, kundebokHere)).toMatchObject({
    whole: true,
    made_at: made.made_at,
  });
});

test('a restore that is killed at any step leaves the database empty, and can be repeated', async () => {
  const path = join(folder, 'b.backup');
  await makeBackup({ databaseUrl: world.databaseUrl, path, release: '1', signal });
  const url = await ownDatabase({ empty: true });
  for (const place of ['copy "offers"', 'maintenance_work_mem', 'analyze']) {
    await killAfter(place, url, ['restore', path]);
    // The server rolls back when it notices that the connection is gone, which may take a while.
    await expect.poll(() => readAllRows(url), { interval: 20 }).toEqual({});
  }
  await restoreBackup({ databaseUrl: url, file: await checkBackup(path, { signal }), signal });
  const own = ['schema_migrations'];
  expect(await readAllRows(url, own)).toEqual(await readAllRows(world.databaseUrl, own));
});
