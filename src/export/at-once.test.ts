import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { createFile } from '../cli/new-file.ts';
import { connect } from '../db/connect.ts';
import { importWorkspace } from './import.ts';
import { exportWorkspace } from './write.ts';

const [here, there] = [await createWorld(), await createWorld()];
const { signal } = new AbortController();

function connectTo({ databaseUrl: url }: { databaseUrl: string }) {
  return connect({ url, connections: 2, onIdleError: () => {} });
}

test('of two imports that create one workspace at once, the later adds nothing', async () => {
  const workspace = await here.workspace();
  await workspace.contact();
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-at-once-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await using source = connectTo(here);
  await using target = connectTo(there);
  const path = join(folder, 'export.jsonl');
  await createFile(path, (file) => exportWorkspace(source, workspace.id, file, signal));
  const both = [1, 2].map(() => importWorkspace(target, path, { workspace: undefined, signal }));
  const added = (await Promise.all(both)).map((result) => result.added.contact);
  expect(new Set(added)).toEqual(new Set([0, 1]));
});
