import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFile } from './new-file.ts';

test('of two writers of one file at once, the later one to end is refused, and leaves the other’s file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-file-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'x.jsonl');
  const held = Promise.withResolvers<void>();
  const late = createFile(path, async (file) => {
    await held.promise;
    await file.writeFile('late');
  });
  await createFile(path, (file) => file.writeFile('first'));
  held.resolve();
  await expect(late).rejects.toThrow('already exists: choose another name');
  expect(await readFile(path, 'utf8')).toBe('first');
  expect(await readdir(folder)).toEqual(['x.jsonl']);
});
