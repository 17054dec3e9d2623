import fs, { closeSync, mkdtempDisposableSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openLog } from './log.ts';

test('lines are gathered, also after a flush, and a flush writes all of them', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kundebok-log-'));
  const path = join(folder.path, 'log');
  const fd = openSync(path, 'a');
  const writes = vi.spyOn(fs, 'write');
  const { log, flush } = openLog('info', fd);
  const lines = () => readFileSync(path, 'utf8').split('\n').length - 1;

  log.info('started');
  await Promise.all([flush(), flush()]);
  expect(lines()).toBe(1);
  writes.mockClear();
  for (let at = 0; at < 1_000; at++) {
    log.info('request');
    await turn();
  }
  await flush();
  expect(lines()).toBe(1_001);
  expect(writes.mock.calls.length).toBeLessThan(50);
  writes.mockRestore();
  closeSync(fd);
});
