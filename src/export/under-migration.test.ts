import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { holdTable } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';
import { createFile } from '../cli/new-file.ts';
import { connect } from '../db/connect.ts';
import { exportWorkspace } from './write.ts';

const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-export-'));
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});
const { signal } = new AbortController();

test.skipIf(inject('postgres').isCitus)(
  'an export begun during a migration waits for it, and has the rows of the tables that it rewrites',
  async () => {
    const workspace = await world.workspace();
    await workspace.offer();
    // A migration locks this table, too.
    const migration = await holdTable(world.databaseUrl, 'schema_migrations');
    await migration.run('alter table offers add column drawn double precision default random()');
    const exported = createFile(join(folder, 'export.jsonl'), (file) =>
      exportWorkspace(db, workspace.id, file, signal),
    );
    await migration.awaited();
    await migration.commit();
    expect(await exported).toMatchObject({ offer: 1 });
  },
);
