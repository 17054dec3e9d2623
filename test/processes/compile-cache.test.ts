import { execFileSync } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../service.ts';

/** A checkout whose Node tells where it would keep compiled code. */
async function checkoutOf(owner: number) {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-cache-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const modules = join(folder, 'node_modules');
  const node = join(modules, 'node-x', 'bin', 'node');
  await mkdir(join(node, '..'), { recursive: true });
  await writeFile(node, '#!/bin/sh\necho "$NODE_COMPILE_CACHE"\n');
  await chmod(node, 0o755);
  await cp(`${ROOT}bin`, join(folder, 'bin'), { recursive: true });
  await chown(modules, owner, owner);
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  return { modules, told: execFileSync(join(folder, 'bin', 'kundebok'), { env, encoding: 'utf8' }).trim() };
}

test('compiled code is kept in the installation', async () => {
  const { modules, told } = await checkoutOf(process.getuid!());
  expect(told).toBe(join(modules, '.cache', 'kundebok'));
});

test.runIf(process.getuid?.() === 0)(
  'root keeps no compiled code in the installation of another user, whose npm ci could not remove it',
  async () => {
    expect((await checkoutOf(65_534)).told).toBe('');
  },
);
