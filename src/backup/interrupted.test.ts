import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { endWithFile, ownDatabase } from '../../test/service.ts';
import { lineTo, stopAfter } from '../../test/stop-after.ts';
import { createWorld } from '../../test/world.ts';
import { makeBackup } from './make.ts';

endWithFile();
const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-interrupted-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();

test('an interrupted backup leaves no file, and an interrupted restore says that nothing was changed', async () => {
  const path = join(folder, 'c.backup');
  const url = world.databaseUrl;
  const backup = await stopAfter('copy "offers"', url, ['backup', path], 'SIGTERM');
  expect([backup.code, backup.stderr]).toEqual([
    1,
    expect.stringContaining('was interrupted; no file was created'),
  ]);
  expect((await readdir(folder)).filter((name) => name.startsWith('c.'))).toEqual([]);
  await makeBackup({ databaseUrl: url, path, release: '1', signal });
  const empty = await ownDatabase({ empty: true });
  const restore = await stopAfter('copy "offers"', empty, ['restore', path], 'SIGINT');
  expect([restore.code, restore.stderr]).toEqual([1, expect.stringContaining('nothing was changed')]);
});

/** A time limit that the test recognises below. It is too long to be reached. */
const PATIENCE_MS = 598_765;

test('a backup over a connection that goes dead ends by itself', async () => {
  const limits = vi.spyOn(Socket.prototype, 'setTimeout');
  onTestFinished(() => limits.mockRestore());
  const line = await lineTo(world.databaseUrl);
  const dead = line.holdAfter('copy "offers"');
  const path = join(folder, 'd.backup');
  const options = { databaseUrl: line.url, path, release: '1', signal, patienceMs: PATIENCE_MS };
  const begin = () => makeBackup(options).then(() => 'made', String);
  let backup = begin();
  for (;;) {
    const outcome = await Promise.race([dead.then(() => 'dead'), backup]);
    if (outcome === 'dead') break;
    // Begun again where a slow machine does not connect within the limit.
    expect(outcome).toMatch(/no connection to the database/);
    backup = begin();
  }
  // Until here PostgreSQL had time to answer, however slow it was; now the limit may be short.
  const socket = limits.mock.contexts[limits.mock.calls.findLastIndex(([limit]) => limit === PATIENCE_MS)];
  (socket as Socket).setTimeout(1);
  expect(await backup).toMatch(/Connection terminated/);
  expect((await readdir(folder)).filter((name) => name.startsWith('d.'))).toEqual([]);
  await line.stop();
});
