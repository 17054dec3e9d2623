import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { createFile } from '../cli/new-file.ts';
import { connect } from '../db/connect.ts';
import { importWorkspace } from './import.ts';
import { exportWorkspace } from './write.ts';

const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-line-separators-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();

test('U+2028 and U+2029 end no line: they are escaped in files, and read where earlier releases wrote them', async () => {
  const [source, target] = [await world.workspace(), await world.workspace()];
  const contact = await source.contact({ notes: 'a\u2028b\u2029c' });
  await using db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
  const path = join(folder, 'export.jsonl');
  await createFile(path, (file) => exportWorkspace(db, source.id, file, signal));
  const text = await readFile(path, 'utf8');
  expect(text).toContain(String.raw`a\u2028b\u2029c`);
  await writeFile(path, text.replace(String.raw`a\u2028b\u2029c`, contact.notes));
  await importWorkspace(db, path, { workspace: target.id, signal });
  expect((await target.client.get('/contacts')).body.data).toEqual([contact]);
});
