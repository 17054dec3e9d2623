import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { endWithFile, ownDatabase } from '../../test/service.ts';
import { inspectFolder } from './inspect.ts';
import { makeDueBackup } from './schedule.ts';

endWithFile();

test('a folder that can be written but not read gets a backup, and not another one with each try', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-unreadable-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const schedule = {
    folder,
    everyMs: 86_400_000,
    keep: 14,
    withRegister: false,
    databaseUrl: await ownDatabase(),
    log: pino({ level: 'silent' }),
  };
  const make = () => makeDueBackup(schedule, new AbortController().signal);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, 65_534, 65_534);
  await chmod(folder, 0o300);
  if (isRoot) process.seteuid!(65_534);
  try {
    expect([await make(), await make()]).toEqual([true, false]);
    // The check uses the rights of the real user, who may be root.
    if (!isRoot) expect(await inspectFolder(schedule)).toMatchObject([{ ok: false }]);
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(folder, 0o700);
  }
  expect(await readdir(folder)).toHaveLength(1);
});
