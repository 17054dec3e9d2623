import { chmod, cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openTrial, type Trial } from '../../test/embedded-trial.ts';
import { lockFolder } from './embedded/lock.ts';
import { findEmbeddedPostgres } from './embedded.ts';

let trial: Trial;

beforeEach(async () => {
  trial = await openTrial();
});
afterEach(() => trial.close());

test('looking for a server creates nothing', async () => {
  expect(await findEmbeddedPostgres(trial.dataDir)).toBeUndefined();
  expect(await findEmbeddedPostgres(join(trial.dataDir, 'nowhere'))).toBeUndefined();
  expect(await readdir(trial.dataDir)).toEqual([]);
});

test('a folder that the user may not look into is not taken for one without a service', async () => {
  const folder = trial.file('');
  await mkdir(folder, { mode: 0o000 });
  await chmod(trial.dataDir, 0o755);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid!(65_534);
  try {
    await expect(findEmbeddedPostgres(trial.dataDir)).rejects.toThrow('run this as the user who runs the');
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(folder, 0o700);
  }
});

test('a server is not found by a command on a copy of its folder, on which another service is starting', async () => {
  const copy = `${trial.dataDir}-copy`;
  onTestFinished(() => rm(copy, { recursive: true }));
  await (await trial.start()).stop();
  await cp(trial.dataDir, copy, { recursive: true });
  const { url } = await trial.start();
  const release = await lockFolder(join(copy, 'postgres'), copy);
  expect(await findEmbeddedPostgres(copy)).toBeUndefined();
  await release();
  expect(await findEmbeddedPostgres(trial.dataDir)).toBe(url);
});
